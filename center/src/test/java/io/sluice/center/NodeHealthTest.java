package io.sluice.center;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.runtime.fleet.LimiterHealth;
import io.sluice.runtime.fleet.LimiterHealth.OnFailure;
import io.sluice.runtime.fleet.NodeReport;
import io.sluice.runtime.fleet.StoreHealth;
import io.sluice.testkit.Await;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

/** The API tells whether the limiter itself is well. */
class NodeHealthTest {

    private static final long SINCE = 1_800_000_000_000L;

    @TempDir
    Path data;

    private Center center;
    private ApiClient api;

    @BeforeEach
    void start() throws Exception {
        center = Center.open(PreparedCenter.in(data));
        api = ApiClient.of(center);
    }

    @AfterEach
    void stop() {
        center.close();
    }

    @Test
    void showsSinceWhenANodeIsDegradedAndWhatItsStoreAndRulesDo() {
        new FakeNode(api, "n1")
                .decides(NodeReport.Mode.CLOSED, NodeReport.Breaker.OPEN)
                .feels(health(new StoreHealth(StoreHealth.Kind.REDIS, 320, 1_792, 25, 2, SINCE + 9_000)))
                .runs(0);

        JsonNode node = api.get("/api/nodes/n1").expect(200).json();

        assertThat(node.get("mode").asString()).isEqualTo("closed");
        assertThat(node.get("mode_since").asString()).isEqualTo("2027-01-15T08:00:00Z");
        assertThat(node.get("store").toString())
                .isEqualTo("{\"kind\":\"redis\",\"p50_us\":320,\"p99_us\":1792,\"calls\":25,\"errors\":2,"
                        + "\"as_of\":\"2027-01-15T08:00:09Z\"}");
        assertThat(node.get("on_failure").toString()).isEqualTo("{\"open\":3,\"local\":20,\"closed\":1}");
        // It may fall silent between two answers.
        Await.until("the same in the list", Duration.ofMinutes(5), () -> api.get("/api/nodes")
                .expect(200)
                .json()
                .get(0)
                .equals(api.get("/api/nodes/n1").expect(200).json()));
    }

    @Test
    void percentilesWithoutAnAnsweredCallAreUnknown() {
        new FakeNode(api, "n1")
                .feels(health(new StoreHealth(StoreHealth.Kind.REDIS, 0, 0, 4, 4, SINCE)))
                .runs(0);

        JsonNode store = api.get("/api/nodes/n1").expect(200).get("store");

        assertThat(store.get("p50_us").isNull()).isTrue();
        assertThat(store.get("p99_us").isNull()).isTrue();
        assertThat(store.get("errors").asLong()).isEqualTo(4);
    }

    @Test
    void anOlderNodeTellsNothing() {
        new FakeNode(api, "n1").runs(0);

        JsonNode node = api.get("/api/nodes/n1").expect(200).json();

        for (String field : new String[] {"mode_since", "store", "on_failure"}) {
            assertThat(node.get(field).isNull()).as(field).isTrue();
        }
    }

    /** Programs of customers read this text, so not a byte of it changes. Each report is followed by a line with its answer. */
    @Test
    void theAnswerStaysByteForByte() throws IOException {
        List<String> lines;
        try (InputStream in = getClass().getResourceAsStream("node-replies.txt")) {
            lines = new String(in.readAllBytes(), UTF_8).lines().toList();
        }
        for (int i = 0; i < lines.size(); i += 2) {
            assertThat(answer("n" + i, lines.get(i))).isEqualTo(lines.get(i + 1));
        }
    }

    /** Reports, and returns the answer without what depends on the time. */
    private String answer(String id, String report) {
        api.post("/api/nodes/" + id + "/heartbeat", report).expect(200);
        return api.get("/api/nodes/" + id)
                .expect(200)
                .text()
                .replaceFirst("\"live\":(true|false)", "\"live\":LIVE")
                .replaceFirst("\"last_heartbeat\":\"[^\"]*\"", "\"last_heartbeat\":LAST");
    }

    /** A newer node may have a store that this center does not know. It lives all the same. */
    @Test
    void aNodeWhoseHealthIsNotUnderstoodStillReports() {
        int beat = 0;
        for (String health : new String[] {
            "{\"mode_since\":-1}",
            "{\"mode_since\":1,\"store\":{\"kind\":\"valkey\",\"p50_us\":1,\"p99_us\":1,\"calls\":1,\"errors\":0,"
                    + "\"as_of\":1},\"on_failure\":{\"open\":0,\"local\":0,\"closed\":0}}",
            "7"
        }) {
            String report =
                    "{\"node\":\"n1\",\"kind\":\"node\",\"name\":\"\",\"program\":\"\",\"started\":0,\"version\":0,"
                            + "\"digest\":\"\",\"applied\":0,\"refused\":null,\"mode\":\"local\",\"breaker\":\"none\","
                            + "\"findings\":[],\"beat\":" + ++beat + ",\"health\":" + health + "}";

            api.post("/api/nodes/n1/heartbeat", report).expect(200);
            assertThat(api.get("/api/nodes/n1").expect(200).get("store").isNull())
                    .as(health)
                    .isTrue();
        }
    }

    private static LimiterHealth health(StoreHealth store) {
        return new LimiterHealth(SINCE, store, new OnFailure(3, 20, 1));
    }
}
