package io.sluice.benchmarks.doors;

import io.envoyproxy.envoy.extensions.common.ratelimit.v3.RateLimitDescriptor;
import io.envoyproxy.envoy.service.ratelimit.v3.RateLimitRequest;
import io.sluice.benchmarks.goals.Figures;
import io.sluice.testkit.redis.RedisServer;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * Compares the throughput and latency of a node's decision API and rate limit service with the same servers without a decision.
 * Each server is a process of its own. All run at the same time and take turns, and their medians are compared. Every request is
 * allowed.
 */
public final class DoorLoad {

    /** An answer as long as that of the decision API to an allowed request. */
    static final String ALLOWED = """
            {"allowed":true,"rule":"user","limit":{"id":"user.0","algorithm":"token_bucket","limit":100000000,"window_ms":1000,\
            "rate":"100000000/s","by":["user"]},"remaining":99999999,"retry_after_ms":0,"reset_after_ms":1,"wait_ms":0,"mode":"local",\
            "degraded":null,"rule_version":1,"matched":["everything","service","resource","user"],"shadow_refused":[],"permits":1,\
            "permit":null}""";

    public static final String RULES = """
            rules:
              - { id: everything, limits: [ { rate: 100000000/s } ] }
              - { id: service, service: shop, limits: [ { rate: 100000000/s } ] }
              - { id: resource, service: shop, resource: /api/orders/**, limits: [ { rate: 100000000/s } ] }
              - { id: user, service: shop, resource: /api/orders/**, limits: [ { by: user, rate: 100000000/s } ] }
              - id: mesh
                match: { domain: shop }
                limits: [ { by: descriptor.user, rate: 100000000/s } ]
            """;

    static final String METHOD = "/envoy.service.ratelimit.v3.RateLimitService/ShouldRateLimit";

    /** The number of callers that take turns. */
    static final int USERS = 1_000;

    private static final String POST = """
            local n = 0
            wrk.method = "POST"
            wrk.headers["Content-Type"] = "application/json"
            request = function()
              n = (n + 1) %% %d
              return wrk.format(nil, nil, nil, '%s')
            end
            """.formatted(USERS, body("u-' .. n .. '"));

    private static final int WARM_UPS = 8;
    private static final int SECONDS = 3;
    private static final int CONNECTIONS = 8;
    private static final int STREAMS = 16;

    /** The calls in flight to the rate limit service. */
    public static final int IN_FLIGHT = CONNECTIONS * STREAMS;

    private DoorLoad() {}

    /** Measures and returns a table. */
    public static String table(int turns, Figures figures) throws IOException, InterruptedException {
        Path folder = Files.createTempDirectory("sluice-doors");
        Path rules = Files.writeString(folder.resolve("rules.yaml"), RULES);
        Path script = Files.writeString(folder.resolve("post.lua"), POST);
        Path message = Files.write(folder.resolve("request.bin"), message(17));
        StringBuilder table = new StringBuilder();
        try (RedisServer redis = RedisServer.start();
                Side idle = Side.start("no decision", "idle");
                Side local = Side.start("in process", "node", rules.toString());
                Side shared = Side.start("on Redis", "node", rules.toString(), redis.uri())) {
            List<Side> sides = List.of(idle, local, shared);
            long memory = local.residentMegabytes();
            Map<Side, Double> http = turns(sides, turns, side -> overHttp(side, script));
            Map<Side, Double> grpc = turns(sides, turns, side -> overGrpc(side.name, side.grpc, message, SECONDS));
            table.append("| endpoint              | server       |     per s |   vs no decision |\n");
            table.append("|-----------------------|--------------|-----------|------------------|\n");
            rows(table, "decision API", http, idle, figures);
            rows(table, "rate limit service", grpc, idle, figures);
            table.append(String.format(
                    Locale.ROOT,
                    "%nLatency in ms at a constant request rate: a quarter, then half of the throughput on Redis.%n"
                            + "A latency counts from the time at which its request was due.%n"
                            + "The servers take %d turns of %d ms; turn p99 is the median of the turns' p99.%n"
                            + "The load generator shares the machine: busy is the part of all cores that%n"
                            + "server, Redis and generator used together.%n%n",
                    Steady.TURNS,
                    Steady.MILLIS));
            table.append(
                    "| endpoint              | server       |     per s |    p50 |    p99 |  p99.9 | turn p99 |  busy |\n");
            table.append(
                    "|-----------------------|--------------|-----------|--------|--------|--------|----------|-------|\n");
            for (int part : new int[] {4, 2}) {
                double rate = http.getOrDefault(shared, 0.0) / part;
                steadyRows(table, "decision API", rate, Steady.run("http", sides, side -> side.http, rate));
            }
            for (int part : new int[] {4, 2}) {
                double rate = grpc.getOrDefault(shared, 0.0) / part;
                Map<Side, Steady> steady = Steady.run("grpc", sides, side -> side.grpc, rate);
                steadyRows(table, "rate limit service", rate, steady);
                String load = part == 4 ? "quarter" : "half";
                steady.forEach((side, each) -> figures.add(
                        "rate limit service/" + side.name + "/" + load + "/turn p99 ms", each.p99OfTurns()));
            }
            table.append(String.format(
                    Locale.ROOT,
                    "%nMemory of a node: %d MB after the start, %d MB after the load.%n",
                    memory,
                    local.residentMegabytes()));
        }
        return table.toString();
    }

    private interface Turn {
        double perSecond(Side side) throws IOException, InterruptedException;
    }

    private static Map<Side, Double> turns(List<Side> sides, int turns, Turn turn)
            throws IOException, InterruptedException {
        Map<Side, List<Double>> results = new LinkedHashMap<>();
        for (int i = -Math.min(WARM_UPS, 3 * turns); i < turns; i++) {
            for (Side side : sides) {
                double result = turn.perSecond(side);
                if (i >= 0) {
                    results.computeIfAbsent(side, first -> new ArrayList<>()).add(result);
                }
            }
        }
        Map<Side, Double> medians = new LinkedHashMap<>();
        results.forEach(
                (side, all) -> medians.put(side, all.stream().sorted().toList().get(all.size() / 2)));
        return medians;
    }

    private static void rows(StringBuilder table, String door, Map<Side, Double> medians, Side floor, Figures figures) {
        double most = medians.getOrDefault(floor, 0.0);
        medians.forEach((side, median) -> figures.add(door + "/" + side.name + "/per s", median));
        medians.forEach((side, median) -> table.append(String.format(
                Locale.ROOT, "| %-21s | %-12s | %9.0f | %14.0f %% |%n", door, side.name, median, 100 * median / most)));
    }

    private static void steadyRows(StringBuilder table, String door, double perSecond, Map<Side, Steady> measured) {
        measured.forEach((side, steady) -> table.append(String.format(
                Locale.ROOT,
                "| %-21s | %-12s | %9.0f | %6.2f | %6.2f | %6.2f | %8.2f | %3.0f %% |%n",
                door,
                side.name,
                perSecond,
                steady.p50(),
                steady.p99(),
                steady.p999(),
                steady.p99OfTurns(),
                100 * steady.busy())));
    }

    private static double overHttp(Side side, Path script) throws IOException, InterruptedException {
        String output = Generator.run(List.of(
                "wrk",
                "-t1",
                "-c" + CONNECTIONS * STREAMS / 2,
                "-d" + SECONDS + "s",
                "-s",
                script.toString(),
                "http://127.0.0.1:" + side.http + "/v1/check"));
        if (output.contains("Non-2xx")) {
            throw new IOException(side.name + ": refused: " + output);
        }
        return Generator.number(output, "Requests/sec:\\s+([0-9.]+)");
    }

    /** Calls the rate limit service as often as it answers, and returns its answers per second. */
    public static double overGrpc(String name, int port, Path message, int seconds)
            throws IOException, InterruptedException {
        String output = Generator.run(List.of(
                "h2load",
                "-c" + CONNECTIONS,
                "-m" + STREAMS,
                "-D" + seconds,
                "-d",
                message.toString(),
                "-H",
                "content-type: application/grpc",
                "-H",
                "te: trailers",
                "http://127.0.0.1:" + port + METHOD));
        if (Generator.number(output, "([0-9]+) failed") > 0) {
            throw new IOException(name + ": failed: " + output);
        }
        return Generator.number(output, "finished in [0-9.]+s, ([0-9.]+) req/s");
    }

    /** Returns a user's request to the rate limit service, with the five bytes that gRPC puts before a message. */
    public static byte[] message(int user) {
        return framed(List.of(descriptor("user", "u-" + user)));
    }

    /** Returns a user's request with four descriptors. */
    static byte[] fourDescriptors(int user) {
        return framed(List.of(
                descriptor("all", "all"),
                descriptor("service", "orders"),
                descriptor("resource", "/api/orders"),
                descriptor("user", "u-" + user)));
    }

    private static RateLimitDescriptor descriptor(String key, String value) {
        return RateLimitDescriptor.newBuilder()
                .addEntries(RateLimitDescriptor.Entry.newBuilder().setKey(key).setValue(value))
                .build();
    }

    private static byte[] framed(List<RateLimitDescriptor> descriptors) {
        byte[] request = RateLimitRequest.newBuilder()
                .setDomain("shop")
                .addAllDescriptors(descriptors)
                .build()
                .toByteArray();
        return ByteBuffer.allocate(5 + request.length)
                .put((byte) 0)
                .putInt(request.length)
                .put(request)
                .array();
    }

    /** Returns the body of a user's request to the decision API. */
    static String body(String user) {
        return """
                {"attributes":{"service":"shop","path":"/api/orders/7","method":"GET","ip":"203.0.113.7","user":"%s"},\
                "permits":1}""".formatted(user);
    }
}
