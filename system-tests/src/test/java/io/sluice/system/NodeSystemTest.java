package io.sluice.system;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.testkit.redis.RedisServer;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests nodes from outside, with real processes, a real Redis and real requests. */
final class NodeSystemTest {

    private static final String RULES = """
            rules:
              - id: everything
                deadline: 1m
                limits:
                  - { algorithm: token_bucket, rate: 100/d, burst: 100 }
              - id: login
                resource: /api/login
                methods: [POST]
                deadline: 1m
                limits:
                  - { by: ip, algorithm: sliding_log, limit: 10, window: 1h }
            """;

    private static final String LOGIN = """
            {"attributes": {"path": "/api/login", "method": "POST", "ip": "203.0.113.7"}}""";

    private static final String OTHER = """
            {"attributes": {"path": "/other", "method": "GET", "ip": "203.0.113.7"}, "permits": %d}""";

    @TempDir
    private Path folder;

    private Path rules;

    @BeforeEach
    void writeRules() throws Exception {
        rules = Files.writeString(folder.resolve("rules.yaml"), RULES);
    }

    @Test
    void admitsExactlyTheLimitOnOneNode() throws Exception {
        try (SluiceProcess node = node()) {
            assertThat(allowed(250, node, node)).isEqualTo(10);
        }
    }

    @Test
    void admitsExactlyTheLimitOnTwoNodesThatShareRedis() throws Exception {
        RedisServer redis = RedisServer.shared();
        try (SluiceProcess one = node("--redis", redis.uri());
                SluiceProcess two = node("--redis", redis.uri())) {
            assertThat(allowed(250, one, two)).isEqualTo(10);
            assertThat(one.post(LOGIN).body()).contains("\"mode\":\"distributed\"", "\"degraded\":null");
        }
    }

    @Test
    void chargesNoOtherLimitForARefusedRequest() throws Exception {
        RedisServer redis = RedisServer.shared();
        try (SluiceProcess alone = node();
                SluiceProcess shared = node("--redis", redis.uri())) {
            for (SluiceProcess node : List.of(alone, shared)) {
                for (int i = 0; i < 60; i++) {
                    HttpResponse<String> answer = node.post(LOGIN);
                    assertThat(answer.statusCode()).isEqualTo(i < 10 ? 200 : 429);
                }
                assertThat(node.post(OTHER.formatted(91)).statusCode()).isEqualTo(429);
                assertThat(node.post(OTHER.formatted(90)).statusCode()).isEqualTo(200);
            }
        }
    }

    @Test
    void keepsDecidingWithoutRedisAndRecovers() throws Exception {
        Files.writeString(rules, RULES.replace("deadline: 1m", "deadline: 5s"));
        try (RedisServer redis = RedisServer.start();
                SluiceProcess node = node("--redis", redis.uri())) {
            Awaitility.await()
                    .atMost(60, TimeUnit.SECONDS)
                    .untilAsserted(() -> assertThat(node.post(LOGIN).body()).contains("\"degraded\":null"));
            redis.kill();
            Awaitility.await()
                    .atMost(60, TimeUnit.SECONDS)
                    .untilAsserted(() -> assertThat(node.post(LOGIN).body()).contains("\"degraded\":\"redis-"));
            redis.restart();
            Awaitility.await()
                    .atMost(60, TimeUnit.SECONDS)
                    .untilAsserted(() -> assertThat(node.post(LOGIN).body()).contains("\"degraded\":null"));
        }
    }

    @Test
    void countsDecisionsAndStopsCleanly() throws Exception {
        try (SluiceProcess node = node()) {
            for (int i = 0; i < 12; i++) {
                node.post(LOGIN);
            }
            assertThat(node.get("/health").statusCode()).isEqualTo(200);
            assertThat(node.get("/metrics").body())
                    .containsPattern(
                            "rate_limit_rejected_total\\{limit=\"login.0\",mode=\"local\",rule=\"login\"\\} 2.0");
            assertThat(node.stop()).isZero();
        }
    }

    @Test
    void spendsLeasesAndReturnsThemWhenStopped() throws Exception {
        Files.writeString(rules, """
                rules:
                  - { id: orders, mode: local_distributed, deadline: 1m, limits: [{ rate: 1000/s, burst: 100000 }] }
                """);
        RedisServer redis = RedisServer.shared();
        try (SluiceProcess node = node("--redis", redis.uri())) {
            AtomicBoolean enough = new AtomicBoolean();
            CompletableFuture<Void> traffic = CompletableFuture.runAsync(() -> {
                while (!enough.get()) {
                    HttpResponse<String> answer = answer(node);
                    assertThat(answer.statusCode()).isEqualTo(200);
                    assertThat(answer.body()).contains("\"mode\":\"local_distributed\"");
                }
            });
            // Both must hold at the same time. An idle lease is soon returned, so the traffic continues meanwhile.
            Awaitility.await()
                    .atMost(60, TimeUnit.SECONDS)
                    .until(() -> traffic.isDone()
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
        Files.writeString(rules, """
                rules:
                  - { id: held, deadline: 1m, on_failure: closed, limits: [{ algorithm: concurrency, limit: 1, ttl: 10m }] }
                """);
        RedisServer redis = RedisServer.shared();
        try (SluiceProcess one = node("--redis", redis.uri());
                SluiceProcess two = node("--redis", redis.uri())) {
            HttpResponse<String> held = one.post("{\"attributes\": {}}");
            assertThat(held.statusCode()).isEqualTo(200);
            assertThat(two.post("{\"attributes\": {}}").statusCode()).isEqualTo(429);
            String body = held.body();
            String permit = body.substring(body.indexOf("\"permit\":"));
            String request = "{" + permit;
            assertThat(one.stop()).isZero();

            assertThat(two.send("/v1/renew", request).statusCode()).isEqualTo(204);
            assertThat(two.send("/v1/release", request).statusCode()).isEqualTo(204);
            assertThat(two.send("/v1/release", request).statusCode()).isEqualTo(404);
            assertThat(two.post("{\"attributes\": {}}").statusCode()).isEqualTo(200);
        }
    }

    private static HttpResponse<String> answer(SluiceProcess node) {
        try {
            return node.post("{\"attributes\": {}}");
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }

    private static double outstanding(SluiceProcess node) throws Exception {
        return node.get("/metrics")
                .body()
                .lines()
                .filter(line -> line.startsWith("rate_limit_leases_outstanding "))
                .mapToDouble(line -> Double.parseDouble(line.substring(line.indexOf(' '))))
                .sum();
    }

    @Test
    void startsWithSampleRules() throws Exception {
        try (SluiceProcess start = SluiceProcess.run("start", "--api-port", "0", "--data", folder.toString())) {
            assertThat(start.get("/health").statusCode()).isEqualTo(200);
            Awaitility.await().atMost(60, TimeUnit.SECONDS).untilAsserted(() -> assertThat(start.printed())
                    .contains("curl"));
            assertThat(start.stop()).isZero();
        }
    }

    @Test
    void limitsRequestsThroughTheGatewayToTheSampleService() throws Exception {
        try (SluiceProcess start =
                SluiceProcess.run("start", "--demo=false", "--api-port", "0", "--data", folder.toString())) {
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

    private SluiceProcess node(String... more) throws Exception {
        List<String> arguments = new ArrayList<>(List.of(
                "node",
                "--api-port",
                "0",
                "--rules",
                rules.toString(),
                "--data",
                folder.resolve("data").toString()));
        arguments.addAll(List.of(more));
        SluiceProcess node = SluiceProcess.run(arguments.toArray(String[]::new));
        Awaitility.await().atMost(60, TimeUnit.SECONDS).untilAsserted(() -> {
            HttpResponse<String> health = node.get("/health");
            assertThat(health.statusCode()).isEqualTo(200);
            assertThat(health.body()).contains("\"degraded\":null");
        });
        return node;
    }

    /** Sends {@code each} parallel requests to each node, and returns how many are allowed. */
    private static int allowed(int each, SluiceProcess... nodes) throws Exception {
        List<CompletableFuture<HttpResponse<String>>> answers = new ArrayList<>();
        for (int i = 0; i < each; i++) {
            for (SluiceProcess node : nodes) {
                answers.add(node.postAsync(LOGIN));
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
