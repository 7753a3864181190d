package io.sluice.node.gateway;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.testkit.http.PathVariants;
import io.sluice.testkit.http.RawCaller;
import io.sluice.testkit.process.NginxServer;
import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import org.apache.catalina.Context;
import org.apache.catalina.startup.Tomcat;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * However a path is written, the resource that the upstream serves for it is the one that was limited. The limit is 0, so any
 * answer from a limited resource has escaped its limit.
 */
final class PathsToUpstreamsTest {

    private static final int VARIANTS = 6_000;
    private static final String LIMITED = "limited";

    private static final List<String> PATHS =
            List.of("/api/login", "/api/orders/7", "/api/orders/7/items", "/admin/users/u-1/keys");

    private static final String RULES = """
            rules:
              - { id: login, resource: /api/login, limits: [ { limit: 0, window: 1s } ] }
              - { id: orders, resource: "/api/orders/**", limits: [ { limit: 0, window: 1s } ] }
              - { id: keys, resource: "/admin/users/{user}/keys", limits: [ { limit: 0, window: 1s } ] }
            """;

    private static final String NGINX = """
            location = /api/login { return 200 limited; }
            location /api/orders/ { return 200 limited; }
            location ~ ^/admin/users/[^/]+/keys$ { return 200 limited; }
            location / { return 200 open; }
            """;

    @TempDir
    private Path folder;

    @Test
    void noLimitedResourceOfNginxEscapesItsLimit() throws Exception {
        try (NginxServer nginx = NginxServer.start(NGINX)) {
            nothingEscapes("nginx", nginx.port());
        }
    }

    @Test
    void noLimitedResourceOfAServletContainerEscapesItsLimit() throws Exception {
        Tomcat tomcat = new Tomcat();
        tomcat.setBaseDir(folder.toString());
        tomcat.setHostname("127.0.0.1");
        tomcat.setPort(0);
        tomcat.getConnector().setProperty("relaxedPathChars", "\\");
        Context context = tomcat.addContext("", folder.toString());
        Tomcat.addServlet(context, LIMITED, new Saying(LIMITED));
        Tomcat.addServlet(context, "open", new Saying("open"));
        context.addServletMappingDecoded("/api/login", LIMITED);
        context.addServletMappingDecoded("/api/orders/*", LIMITED);
        context.addServletMappingDecoded("/admin/users/u-1/keys", LIMITED);
        context.addServletMappingDecoded("/", "open");
        tomcat.start();
        try {
            nothingEscapes("tomcat", tomcat.getConnector().getLocalPort());
        } finally {
            tomcat.stop();
            tomcat.destroy();
        }
    }

    private void nothingEscapes(String name, int upstream) throws Exception {
        long seed = Long.getLong("sluice.tests.seed", new Random().nextLong());
        System.out.println(name + ": seed " + seed);
        List<String> variants = PathVariants.of(PATHS, new Random(seed), VARIANTS);
        int reachable = 0;
        List<String> escaped = new ArrayList<>();
        Map<Integer, Integer> answers = new TreeMap<>();
        try (RunningGateway gateway = RunningGateway.start(folder, RULES, "http://127.0.0.1:" + upstream);
                RawCaller through = new RawCaller(gateway.port());
                RawCaller past = new RawCaller(upstream)) {
            for (String variant : variants) {
                RawCaller.Answer answer = through.get(variant);
                answers.merge(answer.status(), 1, Integer::sum);
                if (answer.body().equals(LIMITED)) {
                    escaped.add(variant);
                }
                if (past.get(variant).body().equals(LIMITED)) {
                    reachable++;
                }
            }
        }
        System.out.println(name + ": " + reachable + " of " + variants.size()
                + " reach a limited resource without the gateway; through it " + answers);
        assertThat(escaped).isEmpty();
        assertThat(reachable).as("variants that the upstream serves").isGreaterThan(VARIANTS / 20);
        assertThat(answers).containsKeys(200, 400, 429);
    }

    private static final class Saying extends HttpServlet {

        private static final long serialVersionUID = 1;

        private final String what;

        Saying(String what) {
            this.what = what;
        }

        @Override
        protected void service(HttpServletRequest request, HttpServletResponse response) throws IOException {
            response.getOutputStream().print(what);
        }
    }
}
