package io.sluice.node.gateway;

import com.sun.net.httpserver.HttpServer;
import io.sluice.testkit.Await;
import io.sluice.testkit.process.NginxServer;
import io.sluice.testkit.process.ServerProcess;
import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Executors;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.catalina.Context;
import org.apache.catalina.LifecycleException;
import org.apache.catalina.startup.Tomcat;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.context.support.AnnotationConfigWebApplicationContext;
import org.springframework.web.servlet.DispatcherServlet;
import org.springframework.web.servlet.config.annotation.EnableWebMvc;

/**
 * A real server of one kind. It answers {@code limited} for the resources that {@link PathsToUpstreamsTest} protects, and {@code
 * open} or an error for all others.
 *
 * @param name letters, digits and hyphens
 * @param paths the settings of {@code gateway.paths} that fit it, one after the other
 */
record PathUpstream(String name, List<String> paths, int port, AutoCloseable server) {

    static final String LIMITED = "limited";

    private static final String STRICT = "";
    private static final String RESOLVE = "resolve: true";
    private static final String SERVLET = "servlet: true";
    private static final String SERVLET_RESOLVE = "servlet: true, resolve: true";
    private static final String IGNORE_CASE = "ignore_case: true";
    private static final String ENCODED_SLASH = "encoded_slash: true";
    private static final String BOTH = IGNORE_CASE + ", " + ENCODED_SLASH;
    private static final Duration INSTALL = Duration.ofMinutes(15);
    private static final Pattern PORT = Pattern.compile("^port ([0-9]+)", Pattern.MULTILINE);

    private static final String NGINX = """
        location = /api/login { return 200 limited; }
        location /api/orders/ { return 200 limited; }
        location /vault/ { return 200 limited; }
        location ~ ^/admin/users/[^/]*/keys$ { return 200 limited; }
        location = /files/me { return 200 open; }
        location ~ ^/files/[^/]+$ { return 200 limited; }
        location / { return 200 open; }
        """;

    void stop() throws Exception {
        server.close();
    }

    /** Returns the servers that every machine can start. */
    static List<PathUpstream> always(Path folder) throws Exception {
        return List.of(
                nginx("nginx", ""),
                nginx("nginx-unmerged", "merge_slashes off;\n"),
                tomcat(folder),
                spring(folder),
                java());
    }

    /** Starts the servers whose language is installed. Their packages come from npm and PyPI, into the folder. */
    static List<PathUpstream> installed(Path folder, Map<String, String> notRun) throws IOException {
        List<PathUpstream> all = new ArrayList<>();
        List<String> npm = List.of(
                "npm",
                "install",
                "--silent",
                "--no-audit",
                "--no-fund",
                "--prefix",
                folder.toString(),
                "express@5",
                "express4@npm:express@4",
                "fastify@5",
                "fastify4@npm:fastify@4",
                "koa@3",
                "@koa/router",
                "hono@4",
                "@hono/node-server");
        Path script = copied("server.js", folder);
        Map<String, List<String>> routers = Map.of(
                "express", List.of(IGNORE_CASE, BOTH),
                "express4", List.of(IGNORE_CASE, BOTH),
                "fastify", List.of(STRICT, ENCODED_SLASH),
                "fastify4", List.of(STRICT, ENCODED_SLASH),
                "koa", List.of(IGNORE_CASE, BOTH),
                "hono", List.of(STRICT, RESOLVE));
        add(all, notRun, "node-http", List.of(STRICT, ENCODED_SLASH), List.of("node", script.toString(), "http"));
        add(all, notRun, "node-http-url", List.of(STRICT, RESOLVE), List.of("node", script.toString(), "http-url"));
        String noPackages = run(npm);
        routers.keySet().stream().sorted().forEach(kind -> {
            if (noPackages.isEmpty()) {
                add(all, notRun, kind, routers.get(kind), List.of("node", script.toString(), kind));
            } else {
                notRun.put(kind, noPackages);
            }
        });
        add(
                all,
                notRun,
                "go",
                List.of(STRICT, RESOLVE),
                List.of("go", "run", copied("server.go", folder).toString()));
        Path python = copied("server.py", folder);
        add(all, notRun, "python-http", List.of(STRICT), List.of("python3", python.toString(), "stdlib"));
        String venv =
                run(List.of("python3", "-m", "venv", folder.resolve("venv").toString()));
        String bin = folder.resolve("venv/bin").toString();
        String noWheels =
                venv.isEmpty() ? run(List.of(bin + "/pip", "install", "-q", "flask", "starlette", "uvicorn")) : venv;
        for (String kind : List.of("flask", "starlette")) {
            if (noWheels.isEmpty()) {
                add(all, notRun, kind, List.of(STRICT), List.of(bin + "/python", python.toString(), kind));
            } else {
                notRun.put(kind, noWheels);
            }
        }
        return all;
    }

    private static void add(
            List<PathUpstream> all, Map<String, String> notRun, String name, List<String> paths, List<String> command) {
        try {
            ServerProcess process = ServerProcess.start(folder -> command);
            boolean started = Await.within(
                    INSTALL,
                    () -> !process.isAlive() || PORT.matcher(process.log()).find());
            Matcher port = PORT.matcher(process.log());
            if (started && port.find()) {
                all.add(new PathUpstream(name, paths, Integer.parseInt(port.group(1)), process));
            } else {
                notRun.put(name, process.log().strip());
                process.close();
            }
        } catch (UncheckedIOException e) {
            notRun.put(name, command.get(0) + " is not installed");
        }
    }

    /** Runs a program to its end. Returns why it failed; empty if it did not. */
    private static String run(List<String> command) {
        // The shell prints the exit status last.
        List<String> shell = new ArrayList<>(List.of("sh", "-c", "\"$@\"; echo \"exit $?\"", "sh"));
        shell.addAll(command);
        try (ServerProcess process = ServerProcess.start(folder -> shell)) {
            Await.within(INSTALL, () -> !process.isAlive());
            String log = process.log().strip();
            return log.endsWith("exit 0") ? "" : command.get(0) + ": " + log;
        }
    }

    private static Path copied(String resource, Path folder) throws IOException {
        Path file = folder.resolve(resource);
        try (InputStream in = PathUpstream.class.getResourceAsStream("/upstreams/" + resource)) {
            return Files.write(file, in.readAllBytes());
        }
    }

    private static PathUpstream nginx(String name, String settings) {
        NginxServer nginx = NginxServer.start(settings + NGINX);
        return new PathUpstream(name, List.of(STRICT, RESOLVE), nginx.port(), nginx);
    }

    /** Plain Java, which compares decoded paths. */
    private static PathUpstream java() throws IOException {
        HttpServer server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.setExecutor(Executors.newFixedThreadPool(4));
        server.createContext("/", exchange -> {
            byte[] body = plain(exchange.getRequestURI().getPath()).getBytes(StandardCharsets.US_ASCII);
            exchange.sendResponseHeaders(200, body.length);
            exchange.getResponseBody().write(body);
            exchange.close();
        });
        server.start();
        return new PathUpstream(
                "java-http", List.of(STRICT), server.getAddress().getPort(), () -> server.stop(0));
    }

    private static String plain(String path) {
        String[] parts = path.split("/", -1);
        boolean keys = parts.length == 5 && path.startsWith("/admin/users/") && parts[4].equals("keys");
        return keys
                        || path.equals("/api/login")
                        || path.startsWith("/api/orders/")
                        || path.startsWith("/vault/")
                        || (parts.length == 3 && parts[1].equals("files") && !parts[2].equals("me"))
                ? LIMITED
                : "open";
    }

    private static PathUpstream tomcat(Path folder) throws LifecycleException {
        Tomcat tomcat = newTomcat(folder);
        Context context = tomcat.addContext("", folder.toString());
        Tomcat.addServlet(context, LIMITED, new Resource(true));
        Tomcat.addServlet(context, "open", new Resource(false));
        context.addServletMappingDecoded("/api/login", LIMITED);
        context.addServletMappingDecoded("/api/orders/*", LIMITED);
        context.addServletMappingDecoded("/vault/*", LIMITED);
        context.addServletMappingDecoded("/admin/users/u-1/keys", LIMITED);
        context.addServletMappingDecoded("/files/*", LIMITED);
        context.addServletMappingDecoded("/files/me", "open");
        context.addServletMappingDecoded("/", "open");
        return started("tomcat", tomcat);
    }

    private static PathUpstream spring(Path folder) throws LifecycleException {
        Tomcat tomcat = newTomcat(folder);
        Context context = tomcat.addContext("", folder.toString());
        AnnotationConfigWebApplicationContext spring = new AnnotationConfigWebApplicationContext();
        spring.register(Pages.class);
        Tomcat.addServlet(context, "spring", new DispatcherServlet(spring));
        context.addServletMappingDecoded("/", "spring");
        return started("spring-mvc", tomcat);
    }

    private static Tomcat newTomcat(Path folder) {
        Tomcat tomcat = new Tomcat();
        tomcat.setBaseDir(folder.toString());
        tomcat.setHostname("127.0.0.1");
        tomcat.setPort(0);
        tomcat.getConnector().setProperty("relaxedPathChars", "\\");
        return tomcat;
    }

    private static PathUpstream started(String name, Tomcat tomcat) throws LifecycleException {
        tomcat.start();
        return new PathUpstream(
                name,
                List.of(STRICT, RESOLVE, SERVLET, SERVLET_RESOLVE),
                tomcat.getConnector().getLocalPort(),
                () -> {
                    tomcat.stop();
                    tomcat.destroy();
                });
    }

    /** A servlet. A mapping cannot say that exactly one segment follows, so that is checked here. */
    private static final class Resource extends HttpServlet {

        private static final long serialVersionUID = 1;

        private final boolean limited;

        Resource(boolean limited) {
            this.limited = limited;
        }

        @Override
        protected void service(HttpServletRequest request, HttpServletResponse response) throws IOException {
            String rest = request.getPathInfo();
            boolean oneFile = rest != null && rest.length() > 1 && rest.indexOf('/', 1) < 0;
            boolean found = limited && (!request.getServletPath().equals("/files") || oneFile);
            response.getOutputStream().print(found ? LIMITED : "open");
        }
    }

    @EnableWebMvc
    @RestController
    static class Pages {

        @GetMapping({"/api/login", "/api/orders/**", "/vault/**", "/admin/users/{user}/keys", "/files/{name}"})
        public String limited() {
            return LIMITED;
        }

        @GetMapping({"/files/me", "/**"})
        public String open() {
            return "open";
        }
    }
}
