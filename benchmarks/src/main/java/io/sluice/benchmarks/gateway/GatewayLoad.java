package io.sluice.benchmarks.gateway;

import io.sluice.benchmarks.doors.Generator;
import io.sluice.benchmarks.goals.Figures;
import io.sluice.testkit.process.NginxServer;
import io.sluice.testkit.redis.RedisServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.ToDoubleFunction;
import java.util.regex.Pattern;

/**
 * Compares the throughput of the gateway with that of the gateway without rules, of nginx and of Spring Cloud Gateway. Each is a
 * process of its own. All run at the same time in front of the same upstream and take turns, and their medians are compared.
 * Every request is allowed.
 */
public final class GatewayLoad {

    static final String RULES = """
            rules:
              - { id: everything, limits: [ { rate: 100000000/s } ] }
              - { id: service, service: shop, limits: [ { rate: 100000000/s } ] }
              - { id: resource, service: shop, resource: /api/orders/**, limits: [ { rate: 100000000/s } ] }
              - { id: user, service: shop, resource: /api/orders/**, limits: [ { by: header.x-user, rate: 100000000/s } ] }
            """;

    static final String CONFIG = """
            routes:
              - { path: /api/**, service: shop, upstreams: ["%s"] }
            """;

    static final String UPSTREAM = """
            keepalive_requests 1000000;
            default_type application/json;
            return 200 '{"id":7,"state":"paid","items":[{"sku":"a-1","count":2},{"sku":"b-9","count":1}],"total":"41.30"}';
            """;

    /** The same four levels for nginx, with a rate that fits its integers and is never reached. */
    private static final String NGINX_ZONES = """
            upstream shop { server 127.0.0.1:%d; keepalive 128; keepalive_requests 1000000; }
            limit_req_zone $server_port zone=all:1m rate=1000000r/s;
            limit_req_zone $server_name zone=service:1m rate=1000000r/s;
            limit_req_zone $uri zone=resource:10m rate=1000000r/s;
            limit_req_zone $http_x_user zone=user:10m rate=1000000r/s;
            """;

    private static final String NGINX_PROXY = """
            listen 127.0.0.1:%d http2;
            keepalive_requests 1000000;
            location / {
              limit_req zone=all burst=1000000 nodelay;
              limit_req zone=service burst=1000000 nodelay;
              limit_req zone=resource burst=1000000 nodelay;
              limit_req zone=user burst=1000000 nodelay;
              proxy_http_version 1.1;
              proxy_set_header Connection "";
              proxy_set_header Host $host;
              proxy_set_header X-Forwarded-For $remote_addr;
              proxy_pass http://shop;
            }
            """;

    private static final String SCRIPT = """
            local n = 0
            request = function()
              n = (n + 1) % 1000
              return wrk.format("GET", "/api/orders/7", { ["X-User"] = "u-" .. n })
            end
            """;

    private static final int WARM_UPS = 5;
    private static final int SECONDS = 3;
    private static final int CONNECTIONS = 64;
    private static final int HTTP2_CONNECTIONS = 8;
    private static final int HTTP2_STREAMS = 8;
    private static final double MILLION = 1e6;

    private record Throughput(double perSecond, double p50Millis, double p99Millis, double cpuMicros) {}

    private GatewayLoad() {}

    /**
     * Measures and returns a table.
     *
     * @param peers the class path of Spring Cloud Gateway
     */
    public static String table(int turns, String peers, Figures figures) throws IOException, InterruptedException {
        Path folder = Files.createTempDirectory("sluice-gateway");
        Path rules = Files.writeString(folder.resolve("rules.yaml"), RULES);
        Path none = Files.writeString(folder.resolve("none.yaml"), "rules: []\n");
        Path script = Files.writeString(folder.resolve("get.lua"), SCRIPT);
        try (RedisServer redis = RedisServer.start();
                NginxServer upstream = NginxServer.start(UPSTREAM)) {
            Path config = Files.writeString(folder.resolve("gateway.yaml"), CONFIG.formatted(upstream.uri()));
            try (Contender bare = sluice("Sluice without rules", config, none, List.of());
                    Contender local = sluice("Sluice, four levels in process", config, rules, List.of());
                    Contender shared =
                            sluice("Sluice, four levels on Redis", config, rules, List.of("--redis", redis.uri()));
                    Contender nginx = nginx(upstream);
                    Contender spring = Contender.ofJava(
                            "Spring Cloud Gateway, one limit on Redis",
                            peers,
                            "io.sluice.peers.SpringGateway",
                            List.of(upstream.uri(), Integer.toString(redis.port())),
                            Pattern.compile("^([0-9]+) 0$"))) {
                List<Contender> all = List.of(bare, local, shared, nginx, spring);
                String first =
                        rows("HTTP/1.1", measured(all, turns, each -> overHttp1(each, script)), bare, nginx, figures);
                System.out.println(first);
                return first + "\n"
                        + rows("HTTP/2", measured(all, turns, GatewayLoad::overHttp2), bare, nginx, figures);
            }
        }
    }

    static Contender sluice(String name, Path config, Path rules, List<String> more) throws IOException {
        List<String> args = new ArrayList<>(List.of(
                "node",
                "--config",
                config.toString(),
                "--rules",
                rules.toString(),
                "--gateway-port",
                "0",
                "--api-port",
                "0",
                "--grpc-port",
                "0"));
        args.addAll(more);
        return Contender.ofJava(
                name,
                System.getProperty("java.class.path"),
                "io.sluice.cli.Main",
                args,
                Pattern.compile("gateway.*http://127\\.0\\.0\\.1:([0-9]+)"));
    }

    static Contender nginx(NginxServer upstream) throws IOException {
        int http2;
        try (ServerSocket free = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            http2 = free.getLocalPort();
        }
        NginxServer nginx = NginxServer.start(2, NGINX_ZONES.formatted(upstream.port()), NGINX_PROXY.formatted(http2));
        return new Contender(
                "nginx, four limit_req",
                ProcessHandle.of(nginx.pid()).orElseThrow(),
                nginx.port(),
                http2,
                nginx::close);
    }

    private interface Turn {
        Throughput of(Contender contender) throws IOException, InterruptedException;
    }

    private static Map<Contender, Throughput> measured(List<Contender> contenders, int turns, Turn turn)
            throws IOException, InterruptedException {
        Map<Contender, List<Throughput>> all = new LinkedHashMap<>();
        for (int i = -Math.min(WARM_UPS, 2 * turns); i < turns; i++) {
            for (Contender each : contenders) {
                Throughput figures = turn.of(each);
                if (i >= 0) {
                    all.computeIfAbsent(each, first -> new ArrayList<>()).add(figures);
                }
            }
        }
        Map<Contender, Throughput> medians = new LinkedHashMap<>();
        all.forEach((each, figures) -> medians.put(
                each,
                new Throughput(
                        median(figures, Throughput::perSecond),
                        median(figures, Throughput::p50Millis),
                        median(figures, Throughput::p99Millis),
                        median(figures, Throughput::cpuMicros))));
        return medians;
    }

    private static double median(List<Throughput> figures, ToDoubleFunction<Throughput> of) {
        return figures.stream().mapToDouble(of).sorted().toArray()[figures.size() / 2];
    }

    private static Throughput overHttp1(Contender contender, Path script) throws IOException, InterruptedException {
        double before = contender.cpuSeconds();
        String output = Generator.run(List.of(
                "wrk",
                "-t1",
                "-c" + CONNECTIONS,
                "-d" + SECONDS + "s",
                "--latency",
                // A gateway whose code is not compiled yet may be slow on a busy machine. That is no error.
                "--timeout",
                "30s",
                "-s",
                script.toString(),
                "http://127.0.0.1:" + contender.port()));
        double cpu = contender.cpuSeconds() - before;
        if (output.contains("Non-2xx") || output.contains("Socket errors")) {
            throw new IOException(contender.name() + ": " + output);
        }
        return new Throughput(
                Generator.number(output, "Requests/sec:\\s+([0-9.]+)"),
                millis(output, "50%\\s+([0-9.]+)(us|ms|s)"),
                millis(output, "99%\\s+([0-9.]+)(us|ms|s)"),
                cpu * MILLION / Generator.number(output, "([0-9]+) requests in"));
    }

    private static Throughput overHttp2(Contender contender) throws IOException, InterruptedException {
        Path log = Files.createTempFile("sluice-h2load", ".log");
        double before = contender.cpuSeconds();
        String output = Generator.run(List.of(
                "h2load",
                "-c" + HTTP2_CONNECTIONS,
                "-m" + HTTP2_STREAMS,
                "-D" + SECONDS,
                "--log-file=" + log,
                "-H",
                "x-user: u-17",
                "http://127.0.0.1:" + contender.http2Port() + "/api/orders/7"));
        double cpu = contender.cpuSeconds() - before;
        double bad = Generator.number(output, "([0-9]+) failed")
                + Generator.number(output, "([0-9]+) 4xx")
                + Generator.number(output, "([0-9]+) 5xx");
        if (bad > 0) {
            throw new IOException(contender.name() + ": " + output);
        }
        double[] micros = Files.readAllLines(log).stream()
                .map(line -> line.split("\t", -1))
                .mapToDouble(fields -> Double.parseDouble(fields[2]))
                .sorted()
                .toArray();
        Files.delete(log);
        if (micros.length == 0) {
            throw new IOException(contender.name() + ": no answer over HTTP/2: " + output);
        }
        return new Throughput(
                Generator.number(output, "finished in [0-9.]+s, ([0-9.]+) req/s"),
                micros[micros.length / 2] / 1_000,
                micros[micros.length * 99 / 100] / 1_000,
                cpu * MILLION / micros.length);
    }

    private static double millis(String output, String pattern) throws IOException {
        double number = Generator.number(output, pattern);
        String unit = Generator.text(output, pattern, 2);
        return switch (unit) {
            case "us" -> number / 1_000;
            case "s" -> number * 1_000;
            default -> number;
        };
    }

    private static String rows(
            String protocol, Map<Contender, Throughput> medians, Contender bare, Contender nginx, Figures figures) {
        StringBuilder rows = new StringBuilder();
        rows.append(String.format(
                "| %-40s | %8s | %13s | %8s | %9s | %9s | %14s |%n",
                protocol, "per s", "vs no rules", "vs nginx", "p50", "p99", "CPU/request"));
        rows.append("|------------------------------------------|----------|---------------|----------|"
                + "-----------|-----------|----------------|\n");
        double most = medians.getOrDefault(bare, new Throughput(0, 0, 0, 0)).perSecond();
        double peer = medians.getOrDefault(nginx, new Throughput(0, 0, 0, 0)).perSecond();
        medians.forEach((each, one) -> figures.add(protocol + "/" + each.name() + "/per s", one.perSecond()));
        medians.forEach((each, one) -> rows.append(String.format(
                Locale.ROOT,
                "| %-40s | %8.0f | %11.0f %% | %6.0f %% | %6.2f ms | %6.2f ms | %11.1f µs |%n",
                each.name(),
                one.perSecond(),
                100 * one.perSecond() / most,
                100 * one.perSecond() / peer,
                one.p50Millis(),
                one.p99Millis(),
                one.cpuMicros())));
        return rows.toString();
    }
}
