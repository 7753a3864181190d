package io.sluice.node.state;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.sluice.node.RunningNode;
import io.sluice.node.config.NodeConfig;
import io.sluice.node.config.NodeConfig.RulesFrom;
import io.sluice.runtime.Store;
import io.sluice.testkit.redis.RedisServer;
import java.net.http.HttpRequest;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(300)
class NodeMetricsTest {

    @Test
    void countsEveryDecisionForItsReportedLimitAndNoLooks() throws Exception {
        try (RunningNode node = RunningNode.withRules("""
                rules:
                  - { id: a, resource: /a, limits: [{ by: user, algorithm: sliding_log, limit: 2, window: 1h }] }
                """)) {
            for (int i = 0; i < 5; i++) {
                node.check("{\"attributes\": {\"path\": \"/a\", \"user\": \"u\"}}");
            }
            node.check("{\"attributes\": {\"path\": \"/a\", \"user\": \"u\"}, \"permits\": 0}");
            node.check("{\"attributes\": {\"path\": \"/a\", \"user\": \"u\"}, \"permits\": 3}");
            node.check("{\"attributes\": {}}");

            assertThat(node.get("/metrics").headers().firstValue("Content-Type"))
                    .contains("text/plain; version=0.0.4; charset=utf-8");
            assertThat(node.get("/metrics").body().lines())
                    .contains(
                            "rate_limit_allowed_total{limit=\"a.0\",mode=\"local\",rule=\"a\"} 2.0",
                            "rate_limit_rejected_total{limit=\"a.0\",mode=\"local\",rule=\"a\"} 3.0",
                            "rate_limit_allowed_total{limit=\"\",mode=\"local\",rule=\"\"} 1.0",
                            "rate_limit_duration_seconds_count 6",
                            "rate_limit_mode{mode=\"local\"} 1.0",
                            "rate_limit_mode{mode=\"remote\"} 0.0",
                            "rate_limit_mode{mode=\"open\"} 0.0",
                            "rate_limit_mode{mode=\"closed\"} 0.0",
                            "rate_limit_rule_version 1.0",
                            "rate_limit_rule_errors_total 0.0",
                            "rate_limit_keys 1.0")
                    .anyMatch(line -> line.startsWith("rate_limit_duration_seconds_bucket{le=\"0.001\"} "));
        }
    }

    @Test
    void aHundredThousandDistinctKeysAddNoSeries() throws Exception {
        try (RunningNode node = RunningNode.withRules("rules: [{ id: a, limits: [{ by: user, rate: 5 }] }]")) {
            node.check("{\"attributes\": {\"user\": \"first\"}}");
            long before = node.get("/metrics").body().lines().count();

            for (int i = 0; i < 1_000; i++) {
                List<String> checks = new ArrayList<>();
                for (int j = 0; j < 100; j++) {
                    String key = i + "x" + j;
                    checks.add("{\"attributes\": {\"user\": \"u" + key + "\", \"x" + key + "\": \"y\"}}");
                }
                node.send(node.request("/v1/check/batch")
                        .POST(HttpRequest.BodyPublishers.ofString("{\"checks\": " + checks + "}")));
            }

            assertThat(node.get("/metrics").body().lines().count()).isEqualTo(before);
            assertThat(node.get("/metrics").body())
                    .contains("rule=\"a\"} 100001.0")
                    .doesNotContain("u999x99", "first");
        }
    }

    @Test
    void everyNumberMatchesTheTrafficThatWasSent() throws Exception {
        try (RunningNode node = RunningNode.withRules("""
                rules:
                  - { id: one, resource: /one, limits: [{ by: user, algorithm: sliding_log, limit: 1, window: 1h }] }
                  - { id: two, resource: /two, limits: [{ id: b, by: user, rate: 2/h, burst: 2 }] }
                  - { id: tried, resource: /two, shadow: true, limits: [{ algorithm: sliding_log, limit: 1, window: 1h }] }
                  - { id: new, resource: /one, limits: [{ limit: 99, window: 1h }], candidate: [{ algorithm: sliding_log, limit: 2, window: 1h }] }
                  - { id: banned, match: { user: bad }, action: deny }
                  - { id: office, match: { user: boss }, action: exempt }
                """)) {
            String one = "{\"attributes\": {\"path\": \"/one\", \"user\": \"%s\"}}";
            String two = "{\"attributes\": {\"path\": \"/two\", \"user\": \"u\"}}";
            for (int i = 0; i < 4; i++) {
                node.check(one.formatted("u" + i));
                node.check(one.formatted("u0"));
                node.check(two);
            }
            node.check(one.formatted("bad"));
            node.check(one.formatted("boss"));
            node.check(one.formatted("boss"));
            node.check("{\"attributes\": {}}");
            // Undecided requests and looks are not counted.
            node.check("nonsense");
            node.check(two.replace("}}", "}, \"permits\": 3}"));
            node.check(two.replace("}}", "}, \"permits\": 0}"));
            node.send(node.request("/v1/explain").POST(HttpRequest.BodyPublishers.ofString(two)));
            // Each check of a batch counts.
            node.send(node.request("/v1/check/batch")
                    .POST(HttpRequest.BodyPublishers.ofString("{\"checks\": [" + two + ", " + two + ", 7]}")));

            List<String> lines = node.get("/metrics").body().lines().toList();
            assertThat(lines.stream().filter(line -> line.matches("rate_limit_(allowed|rejected|shadow)\\S+ \\S+")))
                    .containsExactlyInAnyOrder(
                            "rate_limit_allowed_total{limit=\"one.0\",mode=\"local\",rule=\"one\"} 4.0",
                            "rate_limit_rejected_total{limit=\"one.0\",mode=\"local\",rule=\"one\"} 4.0",
                            "rate_limit_allowed_total{limit=\"two.b\",mode=\"local\",rule=\"two\"} 2.0",
                            "rate_limit_rejected_total{limit=\"two.b\",mode=\"local\",rule=\"two\"} 4.0",
                            "rate_limit_rejected_total{limit=\"\",mode=\"local\",rule=\"banned\"} 1.0",
                            "rate_limit_allowed_total{limit=\"\",mode=\"local\",rule=\"office\"} 2.0",
                            "rate_limit_allowed_total{limit=\"\",mode=\"local\",rule=\"\"} 1.0",
                            "rate_limit_shadow_rejected_total{limit=\"tried.0\",mode=\"local\",rule=\"tried\"} 5.0",
                            "rate_limit_shadow_rejected_total{limit=\"new.candidate-0\",mode=\"local\",rule=\"new\"} 5.0");
            assertThat(lines)
                    .contains(
                            "rate_limit_duration_seconds_count 18",
                            "rate_limit_leases_outstanding 0.0",
                            "rate_limit_breaker_state 0.0",
                            "rate_limit_rule_errors_total 0.0",
                            "sluice_log_dropped_total 0.0")
                    .noneMatch(line -> line.startsWith("redis_"));
        }
    }

    @Test
    void theSeriesOfRemovedRulesAreRemoved(@TempDir Path folder) throws Exception {
        String rules =
                "rules: [{ id: %s, resource: /a, limits: [{ id: x, limit: 1, window: 1h }, { id: %s, rate: 5 }] }]";
        Path file = Files.writeString(folder.resolve("rules.yaml"), rules.formatted("a", "y"));
        NodeConfig config = NodeConfig.inProcess(new RulesFrom.File(file), 0);
        try (RunningNode node = RunningNode.start(config, Store::redis)) {
            String check = "{\"attributes\": {\"path\": \"/a\"}}";
            node.check(check);
            node.check(check);
            assertThat(node.get("/metrics").body()).contains("{limit=\"a.x\",mode=\"local\",rule=\"a\"} 1.0");

            Files.writeString(file, rules.formatted("b", "y"));
            await().untilAsserted(
                            () -> assertThat(node.get("/metrics").body()).contains("rate_limit_rule_version 2.0"));
            assertThat(node.get("/metrics").body()).doesNotContain("rule=\"a\"");
            node.check(check);
            assertThat(node.get("/metrics").body()).contains("{limit=\"b.x\",mode=\"local\",rule=\"b\"} 1.0");
        }
    }

    @Test
    void theStoresOwnNumbersAreShownWhileItIsAvailable() throws Exception {
        String rules = "rules: [{ id: a, deadline: 1m, limits: [{ limit: 1000, window: 1h }] }]";
        try (RedisServer redis = RedisServer.start();
                RunningNode node = RunningNode.start(
                        NodeConfig.inProcess(new RulesFrom.Text("t", rules), 0).withRedis(redis.uri()), Store::redis)) {
            await().untilAsserted(() -> {
                assertThat(number(node, "redis_connected_clients")).isBetween(1.0, 10.0);
                assertThat(number(node, "redis_used_memory")).isBetween(100_000.0, 100_000_000.0);
            });
            double before = number(node, "rate_limit_store_calls_total{outcome=\"ok\"}");
            for (int i = 0; i < 20; i++) {
                node.check("{\"attributes\": {}}");
            }
            assertThat(number(node, "rate_limit_store_calls_total{outcome=\"ok\"}") - before)
                    .isEqualTo(20);
            assertThat(number(node, "rate_limit_mode{mode=\"remote\"}")).isEqualTo(1);
            assertThat(number(node, "rate_limit_breaker_state")).isZero();

            redis.kill();
            await().untilAsserted(() -> {
                assertThat(number(node, "rate_limit_breaker_state")).isEqualTo(1);
                assertThat(node.get("/metrics").body()).doesNotContain("\nredis_");
                assertThat(number(node, "rate_limit_mode{mode=\"remote\"}")).isZero();
                assertThat(number(node, "rate_limit_mode{mode=\"local\"}")).isEqualTo(1);
            });
            redis.restart();
            await().untilAsserted(() ->
                    assertThat(number(node, "redis_connected_clients")).isPositive());
        }
    }

    private static double number(RunningNode node, String series) {
        return node.get("/metrics")
                .body()
                .lines()
                .filter(line -> line.startsWith(series + " "))
                .mapToDouble(line -> Double.parseDouble(line.substring(series.length())))
                .findFirst()
                .orElse(-1);
    }
}
