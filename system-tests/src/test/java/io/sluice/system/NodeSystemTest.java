package io.sluice.system;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.testkit.Await;
import io.sluice.testkit.redis.RedisServer;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BooleanSupplier;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests nodes from outside, with real processes, a real Redis and real requests. Tests that stop no node share three nodes. */
final class NodeSystemTest {

    private static final String RULES = """
            rules:
              - id: everything
                resource: /shop/**
                deadline: 1m
                limits:
                  - { by: ip, algorithm: token_bucket, rate: 100/d, burst: 100 }
              - id: login
                resource: /shop/login
                methods: [POST]
                deadline: 1m
                limits:
                  - { by: ip, algorithm: sliding_log, limit: 10, window: 1h }
              - { id: counted, resource: /counted, deadline: 1m, limits: [{ limit: 10, window: 1h }] }
            """;

    private static final String LOGIN = """
            {"attributes": {"path": "/shop/login", "method": "POST", "ip": "%s"}}""";

    private static final String OTHER = """
            {"attributes": {"path": "/shop/other", "method": "GET", "ip": "%s"}, "permits": %d}""";

    @TempDir
    private static Path shared;

    private static RedisServer redis;
    private static SluiceProcess alone;
    private static SluiceProcess one;
    private static SluiceProcess two;

    @TempDir
    private Path folder;

    @BeforeAll
    static void startNodes() throws Exception {
        redis = RedisServer.start();
        alone = node(shared.resolve("alone"), RULES);
        one = node(shared.resolve("one"), RULES, "--redis", redis.uri());
        two = node(shared.resolve("two"), RULES, "--redis", redis.uri());
    }

    @AfterAll
    static void stopNodes() {
        Stream.of(alone, one, two).filter(Objects::nonNull).forEach(SluiceProcess::close);
        redis.close();
    }

    @Test
    void admitsExactlyTheLimitOnOneNode() throws Exception {
        assertThat(allowed(LOGIN.formatted("203.0.113.1"), 250, alone, alone)).isEqualTo(10);
    }

    @Test
    void admitsExactlyTheLimitOnTwoNodesThatShareRedis() throws Exception {
        String login = LOGIN.formatted("203.0.113.2");
        assertThat(allowed(login, 250, one, two)).isEqualTo(10);
        assertThat(one.post(login).body()).contains("\"mode\":\"distributed\"", "\"degraded\":null");
    }

    @Test
    void chargesNoOtherLimitForARefusedRequest() throws Exception {
        String address = "203.0.113.3";
        for (SluiceProcess node : List.of(alone, one)) {
            for (int i = 0; i < 60; i++) {
                HttpResponse<String> answer = node.post(LOGIN.formatted(address));
                assertThat(answer.statusCode()).isEqualTo(i < 10 ? 200 : 429);
            }
            assertThat(node.post(OTHER.formatted(address, 91)).statusCode()).isEqualTo(429);
            assertThat(node.post(OTHER.formatted(address, 90)).statusCode()).isEqualTo(200);
        }
    }

    @Test
    void keepsDecidingWithoutRedisAndRecovers() throws Exception {
        String login = LOGIN.formatted("203.0.113.7");
        String rules = RULES.replace("deadline: 1m", "deadline: 5s");
        try (RedisServer own = RedisServer.start();
                SluiceProcess node = node(folder, rules, "--redis", own.uri())) {
            until("a decision of Redis", () -> answer(node, login).body().contains("\"degraded\":null"));
            own.kill();
            until("one without Redis", () -> answer(node, login).body().contains("\"degraded\":\"redis-"));
            own.restart();
            until("one of Redis again", () -> answer(node, login).body().contains("\"degraded\":null"));
        }
    }

    @Test
    void countsDecisions() throws Exception {
        for (int i = 0; i < 12; i++) {
            alone.post("{\"attributes\": {\"path\": \"/counted\"}}");
        }
        assertThat(alone.get("/health").statusCode()).isEqualTo(200);
        assertThat(alone.get("/metrics").body())
                .containsPattern(
                        "rate_limit_rejected_total\\{limit=\"counted.0\",mode=\"local\",rule=\"counted\"\\} 2.0");
    }

    @Test
    void spendsLeasesAndReturnsThemWhenStopped() throws Exception {
        String rules = """
                rules:
                  - { id: orders, mode: local_distributed, deadline: 1m, limits: [{ rate: 1000/s, burst: 100000 }] }
                """;
        try (SluiceProcess node = node(folder, rules, "--redis", redis.uri())) {
            AtomicBoolean enough = new AtomicBoolean();
            CompletableFuture<Void> traffic = CompletableFuture.runAsync(() -> {
                while (!enough.get()) {
                    HttpResponse<String> answer = answer(node, "{\"attributes\": {}}");
                    assertThat(answer.statusCode()).isEqualTo(200);
                    assertThat(answer.body()).contains("\"mode\":\"local_distributed\"");
                }
            });
            // Both must hold at the same time. An idle lease is soon returned, so the traffic continues meanwhile.
            until(
                    "a lease",
                    () -> traffic.isDone()
                            || (outstanding(node) > 0
                                    && redis.command("KEYS", "rate_limit:#l:*")
                                                    .texts()
                                                    .size()
                                            == 1));
            enough.set(true);
            traffic.get(60, TimeUnit.SECONDS);
            assertThat(node.stop()).isZero();
            assertThat(redis.command("KEYS", "rate_limit:#l:*").texts()).isEmpty();
        }
    }

    @Test
    void permitOfOneNodeCanBeReleasedAtAnother() throws Exception {
        String rules = """
                rules:
                  - { id: held, deadline: 1m, on_failure: closed, limits: [{ algorithm: concurrency, limit: 1, ttl: 10m }] }
                """;
        try (SluiceProcess first = node(folder.resolve("first"), rules, "--redis", redis.uri());
                SluiceProcess second = node(folder.resolve("second"), rules, "--redis", redis.uri())) {
            HttpResponse<String> held = first.post("{\"attributes\": {}}");
            assertThat(held.statusCode()).isEqualTo(200);
            assertThat(second.post("{\"attributes\": {}}").statusCode()).isEqualTo(429);
            String body = held.body();
            String permit = body.substring(body.indexOf("\"permit\":"));
            String request = "{" + permit;
            assertThat(first.stop()).isZero();

            assertThat(second.send("/v1/renew", request).statusCode()).isEqualTo(204);
            assertThat(second.send("/v1/release", request).statusCode()).isEqualTo(204);
            assertThat(second.send("/v1/release", request).statusCode()).isEqualTo(404);
            assertThat(second.post("{\"attributes\": {}}").statusCode()).isEqualTo(200);
        }
    }

    private static HttpResponse<String> answer(SluiceProcess node, String check) {
        try {
            return node.post(check);
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }

    private static double outstanding(SluiceProcess node) {
        return get(node, "/metrics")
                .body()
                .lines()
                .filter(line -> line.startsWith("rate_limit_leases_outstanding "))
                .mapToDouble(line -> Double.parseDouble(line.substring(line.indexOf(' '))))
                .sum();
    }

    private static HttpResponse<String> get(SluiceProcess node, String path) {
        try {
            return node.get(path);
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }

    @Test
    void startsWithSampleRulesAndLimitsRequestsThroughTheGatewayToTheSampleService() throws Exception {
        try (SluiceProcess start =
                SluiceProcess.run("start", "--demo=false", "--api-port", "0", "--data", folder.toString())) {
            assertThat(start.get("/health").statusCode()).isEqualTo(200);
            until("an example", () -> start.printed().contains("curl"));
            for (int i = 0; i < 6; i++) {
                HttpResponse<String> answer = start.through("POST", "/api/login");
                assertThat(answer.statusCode()).isEqualTo(i < 5 ? 200 : 429);
                assertThat(answer.headers().firstValue("ratelimit")).isPresent();
            }
            assertThat(start.through("GET", "/api/orders/7").body()).contains("\"target\" : \"/api/orders/7\"");
            assertThat(start.get("/metrics").body())
                    .contains("sluice_gateway_requests_total{route=\"/api/login\",status=\"2xx\"} 5")
                    .contains("sluice_gateway_requests_total{route=\"/api/login\",status=\"4xx\"} 1");
            assertThat(start.stop()).isZero();
        }
    }

    @Test
    void reportsErrorsWithoutStackTrace() throws Exception {
        Path bad = Files.writeString(folder.resolve("bad.yaml"), "rules:\n  - id: x\n    limitz: []\n");
        try (SluiceProcess node = SluiceProcess.run("node", "--api-port", "0", "--rules", bad.toString())) {
            assertThat(node.exitCode()).isEqualTo(1);
            assertThat(node.printed()).contains("bad.yaml:3:5: ").doesNotContain("Exception");
        }
        try (SluiceProcess node = SluiceProcess.run("node", "--no-such-flag")) {
            assertThat(node.exitCode()).isEqualTo(2);
            assertThat(node.printed()).contains("--no-such-flag").doesNotContain("Exception");
        }
    }

    private static SluiceProcess node(Path folder, String rules, String... more) throws Exception {
        Files.createDirectories(folder);
        List<String> arguments = new ArrayList<>(List.of(
                "node",
                "--api-port",
                "0",
                "--rules",
                Files.writeString(folder.resolve("rules.yaml"), rules).toString(),
                "--data",
                folder.resolve("data").toString()));
        arguments.addAll(List.of(more));
        SluiceProcess node = SluiceProcess.run(arguments.toArray(String[]::new));
        assertThat(node.port()).isPositive();
        until("a healthy node", () -> {
            HttpResponse<String> health = get(node, "/health");
            return health.statusCode() == 200 && health.body().contains("\"degraded\":null");
        });
        return node;
    }

    private static void until(String what, BooleanSupplier condition) {
        Await.until(what, Duration.ofMinutes(5), condition);
    }

    /** Sends {@code each} parallel requests to each node, and returns how many are allowed. */
    private static int allowed(String check, int each, SluiceProcess... nodes) throws Exception {
        List<CompletableFuture<HttpResponse<String>>> answers = new ArrayList<>();
        for (int i = 0; i < each; i++) {
            for (SluiceProcess node : nodes) {
                answers.add(node.postAsync(check));
            }
        }
        int allowed = 0;
        for (CompletableFuture<HttpResponse<String>> answer : answers) {
            int status = answer.get(60, TimeUnit.SECONDS).statusCode();
            assertThat(status).isIn(200, 429);
            allowed += status == 200 ? 1 : 0;
        }
        return allowed;
    }
}
