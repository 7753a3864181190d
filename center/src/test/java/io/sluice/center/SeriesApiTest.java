package io.sluice.center;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.center.ApiClient.Answer;
import io.sluice.center.access.Grant;
import io.sluice.center.access.Role;
import io.sluice.core.time.ManualClock;
import io.sluice.runtime.data.DataBatch.Kind;
import io.sluice.runtime.data.DataOutbox;
import io.sluice.runtime.data.Figures;
import io.sluice.runtime.data.Latencies;
import io.sluice.runtime.data.SecondCounts;
import io.sluice.runtime.fleet.Fleet;
import io.sluice.runtime.fleet.NodeHealth;
import io.sluice.runtime.fleet.NodeIdentity;
import io.sluice.runtime.fleet.NodeReport;
import io.sluice.runtime.fleet.RulesInForce;
import io.sluice.testkit.Await;
import io.sluice.testkit.QuietClock;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

/** The API shows exactly what nodes sent, also after the center was started again. */
class SeriesApiTest {

    private static final long START = 1_800_057_600L;

    @TempDir
    Path data;

    private final ManualClock clock = QuietClock.at((START + 600) * 1_000_000);
    private final Map<String, DataOutbox> outboxes = new HashMap<>();
    private Center center;
    private ApiClient api;
    private long beat;

    @BeforeEach
    void start() throws Exception {
        center = Center.open(PreparedCenter.in(data), clock);
        api = ApiClient.of(center);
    }

    @AfterEach
    void stop() {
        center.close();
    }

    @Test
    void showsWhatThreeNodesSentBeforeAndAfterARestart() throws Exception {
        for (String node : List.of("n1", "n2", "n3")) {
            count(node, START + 10, "login", 100, 7);
            count(node, START + 70, "search", 10, 1);
            send(node);
        }
        center.close();
        start();
        count("n2", START + 11, "login", 500, 0);
        send("n2");
        JsonNode login = series("rule=login");
        assertThat(login.get("step").asString()).isEqualTo("minute");
        assertThat(login.get("complete").asBoolean()).isTrue();
        assertThat(login.get("left_out").asLong()).isZero();
        assertThat(login.get("points")).hasSize(1);
        JsonNode point = login.get("points").get(0);
        assertThat(point.get("at").asString())
                .isEqualTo(Instant.ofEpochSecond(START).toString());
        assertThat(point.get("allowed").asLong()).isEqualTo(800);
        assertThat(point.get("refused").asLong()).isEqualTo(21);
        assertThat(point.get("peak_allowed").asLong()).isEqualTo(500);
        assertThat(point.get("peak_refused").asLong()).isEqualTo(21);
        assertThat(point.has("p99_us")).isFalse();
        JsonNode node = series("node=n2&step=second&from=" + Instant.ofEpochSecond(START))
                .get("points");
        assertThat(node).hasSize(3);
        assertThat(node.get(0).get("p99_us").asLong()).isEqualTo(Latencies.micros(20));
        JsonNode fleet = series("step=hour").get("points");
        assertThat(fleet).hasSize(1);
        assertThat(fleet.get(0).get("allowed").asLong()).isEqualTo(830);
        assertThat(fleet.get(0).get("refused").asLong()).isEqualTo(24);
        JsonNode sums = series("rule=*&group=rule").get("rules");
        assertThat(sums).hasSize(2);
        assertThat(sums.get(0).get("rule").asString()).isEqualTo("login");
        assertThat(sums.get(0).get("last_at").asString())
                .isEqualTo(Instant.ofEpochSecond(START).toString());
        assertThat(sums.get(1).get("allowed").asLong()).isEqualTo(30);
        assertThat(sums.get(1).get("last_at").asString())
                .isEqualTo(Instant.ofEpochSecond(START + 60).toString());
        JsonNode first = series("rule=*&group=rule&limit=1").get("rules");
        assertThat(first).hasSize(1);
        assertThat(first.get(0).get("rule").asString()).isEqualTo("login");
    }

    @Test
    void aTenantSeesItsRulesAndNoTotals() {
        for (String tenant : List.of("acme", "other")) {
            Answer change = api.post(
                            "/api/changes",
                            "{\"title\":\"t\",\"reason\":\"r\",\"base\":"
                                    + api.get("/api/rules").number("version") + ",\"edits\":[{\"put\":{\"id\":\""
                                    + tenant + "-login\",\"tenant\":\"" + tenant + "\",\"match\":{\"tenant\":\""
                                    + tenant + "\"},\"limits\":[{\"by\":\"user\",\"limit\":5,\"window\":\"1m\"}]}}]}")
                    .expect(201);
            long unused = api.release(change);
            count("n1", START + 10, tenant + "-login", 3, 2);
        }
        send("n1");
        ApiClient viewer = ApiClient.person(center, "vera", Grant.of(Role.VIEWER, "acme"));
        // A release is published after its answer.
        Await.until(
                "the rule is published",
                Duration.ofMinutes(2),
                () -> viewer.get("/api/series?rule=acme-login").status() == 200);
        assertThat(viewer.get("/api/series?rule=acme-login").expect(200).get("points"))
                .hasSize(1);
        viewer.get("/api/series?rule=other-login").expect(404);
        viewer.get("/api/series").expect(403);
        viewer.get("/api/series?node=n1").expect(403);
        assertThat(viewer.get("/api/series?rule=acme-login").get("left_out").isNull())
                .isTrue();
        Answer grouped = viewer.get("/api/series?rule=*&group=rule").expect(200);
        assertThat(grouped.get("left_out").isNull()).isTrue();
        JsonNode sums = grouped.get("rules");
        assertThat(sums).hasSize(1);
        assertThat(sums.get(0).get("rule").asString()).isEqualTo("acme-login");
        assertThat(api.get("/api/series?rule=*&group=rule").get("rules")).hasSize(2);
    }

    @Test
    void refusesWhatItCannotAnswer() {
        for (String query : List.of(
                "rule=login&node=n1",
                "rule=*",
                "group=rule",
                "rule=login&group=rule",
                "group=node&rule=*",
                "rule=*&group=rule&limit=0",
                "step=second&from=2020-01-01T00:00:00Z",
                "from=x",
                "step=week")) {
            assertThat(api.get("/api/series?" + query).expect(400).string("detail"))
                    .as(query)
                    .contains("(expected: ");
        }
        assertThat(series("rule=" + "x".repeat(3_000)).get("points")).isEmpty();
        assertThat(series("from=2020-01-01T00:00:00Z").get("points")).isEmpty();
    }

    private JsonNode series(String query) {
        return api.get("/api/series?" + query).expect(200).json();
    }

    private void count(String node, long second, String rule, long allowed, long refused) {
        long[] spans = new long[Latencies.SPANS];
        spans[20] = allowed + refused;
        outboxes.computeIfAbsent(node, made -> DataOutbox.acknowledged())
                .add(
                        Kind.COUNTS,
                        new SecondCounts(second, Map.of(rule, new Figures(allowed, refused, 0, 0)), Latencies.of(spans))
                                .toBytes());
    }

    private void send(String node) {
        DataOutbox outbox = outboxes.get(node);
        NodeReport report = new NodeReport(
                        new NodeIdentity(node, NodeReport.Kind.NODE, node, "test", 1),
                        ++beat,
                        RulesInForce.of(0, "", 0),
                        NodeHealth.of(NodeReport.Mode.REMOTE, NodeReport.Breaker.CLOSED))
                .with(outbox.report(clock.epochMicros() / 1_000));
        Fleet fleet = Fleet.parse(api.post("/api/nodes/" + node + "/heartbeat", report.toJson())
                .expect(200)
                .text());
        outbox.stored(fleet.stored().orElseThrow());
        assertThat(outbox.hasMore()).isFalse();
    }
}
