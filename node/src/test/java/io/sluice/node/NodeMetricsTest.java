package io.sluice.node;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class NodeMetricsTest {

    @Test
    void countsEveryDecisionOnItsReportedLimitAndNoLooks() throws Exception {
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
    void distinctKeysAddNoSeries() throws Exception {
        try (RunningNode node = RunningNode.withRules("rules: [{ id: a, limits: [{ by: user, rate: 5 }] }]")) {
            node.check("{\"attributes\": {\"user\": \"first\"}}");
            long before = node.get("/metrics").body().lines().count();

            for (int i = 0; i < 500; i++) {
                node.check("{\"attributes\": {\"user\": \"u" + i + "\", \"x" + i + "\": \"y\"}}");
            }

            assertThat(node.get("/metrics").body().lines().count()).isEqualTo(before);
            assertThat(node.get("/metrics").body()).doesNotContain("u499", "first");
        }
    }
}
