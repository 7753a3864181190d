package io.sluice.node.gateway;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.testkit.SeededRandom;
import io.sluice.testkit.http.PathMixtures;
import io.sluice.testkit.http.PathVariants;
import io.sluice.testkit.http.RawCaller;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * A7 and A43: however a path is written, the upstream serves no protected resource without the rule or the authentication that
 * protects it. Limits are 0 and nobody has a key, so any answer from a protected resource has escaped.
 *
 * <p>The long form ({@code -Dsluice.tests.scale=10}) also starts servers of other languages and writes the table of {@code
 * docs/why/path-readings.md} to {@code target/paths-to-upstreams.md}.
 */
final class PathsToUpstreamsTest {

    private static final boolean LONG = Double.parseDouble(System.getProperty("sluice.tests.scale", "1")) > 1;
    private static final int VARIANTS = SeededRandom.scaled(250, 1_200);
    private static final int MIXTURES = SeededRandom.scaled(100, 1_200);

    private static final List<String> PATHS = List.of(
            "/api/login",
            "/api/orders/7",
            "/api/orders/7/items",
            "/admin/users/u-1/keys",
            "/files/a",
            "/files/a",
            "/vault/a/b",
            "/files/me",
            "/public/../files/a",
            "/public/..;/files/a",
            "/public/;/../files/a",
            "/files/me/../a");

    /** Resources protected by rules, resources protected by authentication, and limits with exemptions. */
    private static final List<String> HOSTS = List.of(".rules", ".auth", ".free");

    private static final List<String> PROTECTED =
            List.of("/api/login", "/api/orders/**", "/admin/users/{user}/keys", "/files/{name}", "/vault/**");

    @TempDir
    private Path folder;

    /** What happened to the requests for one server. */
    private static final class Outcome {
        final Set<String> unlimited = new LinkedHashSet<>();
        final Set<String> unauthenticated = new LinkedHashSet<>();
        final Set<String> exempt = new LinkedHashSet<>();
        final Map<Integer, Integer> statuses = new TreeMap<>();
        int served;
    }

    @Test
    void noServerServesAProtectedResourceWithoutItsRule() throws Exception {
        SeededRandom random = SeededRandom.of("PathsToUpstreamsTest");
        Set<String> both = new LinkedHashSet<>(PathVariants.of(PATHS, random, VARIANTS));
        both.addAll(PathMixtures.of(PATHS, random, MIXTURES));
        List<String> variants = List.copyOf(both);
        Map<String, String> notRun = new TreeMap<>();
        List<PathUpstream> servers = new ArrayList<>(PathUpstream.always(folder));
        try {
            if (LONG) {
                servers.addAll(PathUpstream.installed(folder, notRun));
            }
            Map<String, Outcome> outcomes = new LinkedHashMap<>();
            Set<String> settings = new LinkedHashSet<>();
            servers.forEach(server -> settings.addAll(server.paths()));
            for (String paths : settings) {
                List<PathUpstream> fitting = servers.stream()
                        .filter(server -> server.paths().contains(paths))
                        .toList();
                send(variants, paths, fitting, outcomes);
            }
            report(variants.size(), outcomes, notRun);
            outcomes.forEach((name, outcome) -> {
                assertThat(outcome.unlimited).as(name + " without its rule").isEmpty();
                assertThat(outcome.unauthenticated)
                        .as(name + " without authentication")
                        .isEmpty();
                assertThat(outcome.exempt).as(name + " by an exemption").isEmpty();
                assertThat(outcome.served).as(name + " serves").isGreaterThan(VARIANTS / 40);
                assertThat(outcome.statuses).as(name).containsKeys(200, 400, 401, 403, 429);
            });
        } finally {
            for (PathUpstream server : servers) {
                server.stop();
            }
        }
    }

    private void send(List<String> variants, String paths, List<PathUpstream> servers, Map<String, Outcome> outcomes)
            throws Exception {
        try (RunningGateway gateway = RunningGateway.of(config(paths, servers), rules());
                RawCaller through = new RawCaller(gateway.port())) {
            for (PathUpstream server : servers) {
                Outcome outcome = new Outcome();
                outcomes.put(server.name() + (paths.isEmpty() ? "" : ", `" + paths + "`"), outcome);
                try (RawCaller past = new RawCaller(server.port())) {
                    for (String variant : variants) {
                        outcome.served += body(past, variant).equals(PathUpstream.LIMITED) ? 1 : 0;
                        ask(through, variant, server.name() + ".rules", outcome, outcome.unlimited);
                        ask(through, variant, server.name() + ".auth", outcome, outcome.unauthenticated);
                        ask(through, variant, server.name() + ".free", outcome, outcome.exempt);
                    }
                }
            }
        }
    }

    private static void ask(RawCaller through, String variant, String host, Outcome outcome, Set<String> escaped)
            throws IOException {
        RawCaller.Answer answer = through.get(variant.replace("localhost", host), host);
        outcome.statuses.merge(answer.status(), 1, Integer::sum);
        if (answer.body().equals(PathUpstream.LIMITED)) {
            escaped.add(variant);
        }
    }

    /** Servers close the connection without an answer to some of the variants. */
    private static String body(RawCaller past, String variant) {
        try {
            return past.get(variant).body();
        } catch (IOException closed) {
            return "";
        }
    }

    private Path config(String paths, List<PathUpstream> servers) throws IOException {
        Files.writeString(
                folder.resolve("keys.yaml"),
                "keys: [{ sha256: " + HexFormat.of().formatHex(new byte[32]) + ", user: u }]");
        StringBuilder config = new StringBuilder("gateway: { paths: { " + paths + " } }\n")
                .append("auth: { api_keys: keys.yaml }\n")
                .append("routes:\n");
        for (PathUpstream server : servers) {
            String to = "upstreams: [\"http://127.0.0.1:" + server.port() + "\"]";
            for (String name : HOSTS) {
                config.append("  - { host: %s, path: /**, %s, auth: open }\n".formatted(server.name() + name, to));
            }
            for (String path : PROTECTED) {
                config.append(
                        "  - { host: %s.auth, path: \"%s\", %s, auth: required }\n".formatted(server.name(), path, to));
            }
        }
        return Files.writeString(folder.resolve("sluice.yaml"), config);
    }

    private static String rules() {
        StringBuilder rules = new StringBuilder("rules:\n");
        for (int i = 0; i < PROTECTED.size(); i++) {
            String path = PROTECTED.get(i);
            String what = path.startsWith("/vault") ? "action: deny" : "limits: [ { limit: 0, window: 1s } ]";
            rules.append("  - { id: r%d, resource: \"%s\", match: { header.host: \"*.rules\" }, %s }\n"
                    .formatted(i, path, what));
        }
        rules.append("  - { id: all, match: { header.host: \"*.free\" }, limits: [ { limit: 0, window: 1s } ] }\n");
        for (String path : List.of("/files/me", "/public/**")) {
            rules.append("  - { id: free%d, resource: \"%s\", match: { header.host: \"*.free\" }, action: exempt }\n"
                    .formatted(path.length(), path));
        }
        return rules.toString();
    }

    private static void report(int sent, Map<String, Outcome> outcomes, Map<String, String> notRun) throws IOException {
        StringBuilder table = new StringBuilder(
                "| server, `gateway.paths` | protected without Sluice | passed the rule | passed authentication |"
                        + " passed by an exemption | refused with 400 |\n"
                        + "|---|---|---|---|---|---|\n");
        outcomes.forEach((name, outcome) -> table.append("| %s | %d | %d | %d | %d | %d |\n"
                .formatted(
                        name,
                        outcome.served,
                        outcome.unlimited.size(),
                        outcome.unauthenticated.size(),
                        outcome.exempt.size(),
                        outcome.statuses.getOrDefault(400, 0) / HOSTS.size())));
        notRun.forEach((name, why) -> table.append("| %s | *not run* | | | | |\n".formatted(name)));
        System.out.println(sent + " paths to each server\n" + table);
        System.out.println("not run: " + notRun);
        outcomes.forEach((name, outcome) -> System.out.println(name + ": " + outcome.statuses + " " + outcome.unlimited
                + " " + outcome.unauthenticated + " " + outcome.exempt));
        if (LONG) {
            Files.writeString(Path.of("target", "paths-to-upstreams.md"), table);
        }
    }
}
