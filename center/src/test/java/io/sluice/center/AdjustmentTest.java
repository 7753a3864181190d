package io.sluice.center;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.center.ApiClient.Answer;
import io.sluice.core.time.ManualClock;
import io.sluice.testkit.Await;
import io.sluice.testkit.QuietClock;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

/** Overrides for single callers, and the emergency switch. */
class AdjustmentTest {

    private static final Duration SOON = Duration.ofMinutes(5);
    private static final String HASH = "h".repeat(43);

    @TempDir
    Path data;

    private final ManualClock clock = QuietClock.at(1_800_000_000_000_000L);
    private Center center;
    private ApiClient api;

    @BeforeEach
    void start() throws Exception {
        center = Center.open(PreparedCenter.in(data), clock);
        api = ApiClient.of(center);
        api.release("login", 5);
    }

    @AfterEach
    void stop() {
        center.close();
    }

    @Test
    void anOverrideHasAnEndAndAReason() {
        Answer made = override("{\"ip\":\"192.0.2.77\"}", "{\"limit\":500}", "\"in\":\"2h\"", "support case 4711")
                .expect(201);
        assertThat(made.string("until")).isEqualTo(in(Duration.ofHours(2)).toString());
        assertThat(made.string("attribute")).isEqualTo("ip");
        assertThat(made.string("caller")).isEqualTo("19***");
        assertThat(made.get("active").asBoolean()).isTrue();
        assertThat(made.number("revision")).isEqualTo(1);
        assertThat(made.string("actor")).isEqualTo("token:admin");
        for (String end : new String[] {
            "\"in\":\"91d\"",
            "\"in\":\"soon\"",
            "\"until\":\"" + in(Duration.ZERO) + "\"",
            "\"until\":\"" + in(Duration.ofDays(91)) + "\"",
            "\"until\":\"x\"",
            "\"until\":\"" + in(Duration.ofDays(1)) + "\",\"in\":\"1h\""
        }) {
            override("{\"ip\":\"192.0.2.7\"}", "{\"limit\":500}", end, "x").expect(400);
        }
        override("{\"ip\":\"192.0.2.7\"}", "{\"limit\":500}", "\"in\":\"1h\"", " ")
                .expect(400);
        assertThat(api.get("/api/overrides").json()).hasSize(1);
    }

    @Test
    void anOverrideHasToFitTheRules() {
        for (String[] wrong : new String[][] {
            {"{\"user\":\"u-17\"}", "{\"limit\":500}", "attribute: user"},
            {"{\"ip\":\"192.0.2.7\"}", "{\"burst\":500}", "numbers: "},
            {"{\"ip\":\"192.0.2.7\"}", "{}", "numbers: "}
        }) {
            assertThat(override(wrong[0], wrong[1], "\"in\":\"1h\"", "x")
                            .expect(422)
                            .string("detail"))
                    .contains(wrong[2]);
        }
        api.post(
                        "/api/overrides",
                        "{\"rule\":\"none\",\"limit\":\"none.0\",\"caller\":{\"ip\":\"192.0.2.7\"},\"numbers\":{\"limit\":5},"
                                + "\"in\":\"1h\",\"reason\":\"x\"}")
                .expect(422);
        for (String caller :
                new String[] {"{}", "7", "{\"ip\":7}", "{\"hash\":\"short\"}", "{\"a\":\"b\",\"c\":\"d\"}"}) {
            override(caller, "{\"limit\":500}", "\"in\":\"1h\"", "x").expect(400);
        }
    }

    @Test
    void anOverrideFitsAVersionOnTrialToo() {
        String other =
                "{\"put\":{\"id\":\"login\",\"resource\":\"/login\",\"limits\":[{\"by\":\"ip\",\"rate\":\"5/s\"}]}}";
        Answer change = api.post("/api/changes", ApiClient.change(1, other)).expect(201);
        api.release(change, "{\"callers\":\"5%\"}", "").expect(202);
        assertThat(override("{\"ip\":\"192.0.2.7\"}", "{\"limit\":500}", "\"in\":\"1h\"", "x")
                        .expect(422)
                        .string("detail"))
                .contains("version 2 on trial");
    }

    @Test
    void aCallerByHashIsShown() {
        String hashed =
                "{\"put\":{\"id\":\"mail\",\"resource\":\"/mail\",\"limits\":[{\"by\":\"user\",\"rate\":\"5/s\","
                        + "\"privacy\":\"hash\"}]}}";
        api.release(api.post("/api/changes", ApiClient.change(1, hashed)).expect(201));
        Answer made = api.post(
                        "/api/overrides",
                        "{\"rule\":\"mail\",\"limit\":\"mail.0\",\"caller\":{\"hash\":\"" + HASH
                                + "\"},\"numbers\":{\"rate\":\"500/s\"},\"in\":\"1h\",\"reason\":\"x\"}")
                .expect(201);
        assertThat(made.string("attribute")).isEqualTo("hash");
        assertThat(made.string("caller")).isEqualTo(HASH);
    }

    /** The center knows refused callers of any limit by their hashes. */
    @Test
    void aCallerByHashMayBeOfAPlainLimit() {
        Answer made = override("{\"hash\":\"" + HASH + "\"}", "{\"limit\":500}", "\"in\":\"1h\"", "x")
                .expect(201);
        assertThat(made.string("attribute")).isEqualTo("hash");
        assertThat(made.string("caller")).isEqualTo(HASH);
    }

    @Test
    void theCallerIsNamedNowhereElse() {
        override("{\"ip\":\"192.0.2.77\"}", "{\"limit\":500}", "\"in\":\"2h\"", "x")
                .expect(201);
        assertThat(api.get("/api/commands").text()).contains("override_caller").doesNotContain("192.0.2");
        assertThat(api.get("/api/overrides").text()).doesNotContain("192.0.2");
        assertThat(override("{\"user\":\"secret-person\"}", "{\"limit\":500}", "\"in\":\"1h\"", "x")
                        .expect(422)
                        .text())
                .doesNotContain("secret-person");
    }

    @Test
    void endsBeforeItExpires() {
        long id = override("{\"ip\":\"192.0.2.7\"}", "{\"limit\":500}", "\"in\":\"2h\"", "x")
                .expect(201)
                .number("id");
        api.send("DELETE", "/api/overrides/" + id, "application/json", "").expect(400);
        Answer ended = api.send("DELETE", "/api/overrides/" + id, "application/json", "{\"reason\":\"case closed\"}")
                .expect(200);
        assertThat(ended.get("active").asBoolean()).isFalse();
        assertThat(ended.string("end_reason")).isEqualTo("case closed");
        api.send("DELETE", "/api/overrides/" + id + "?reason=again", "application/json", "")
                .expect(409);
        api.send("DELETE", "/api/overrides/99?reason=x", "application/json", "").expect(404);
        api.send("DELETE", "/api/switch/" + id + "?reason=x", "application/json", "")
                .expect(404);
        awaitAdjusted(2, 0, 0);
    }

    @Test
    void expiresByItselfAndStaysInTheHistory() {
        override("{\"ip\":\"192.0.2.7\"}", "{\"limit\":500}", "\"in\":\"2h\"", "x")
                .expect(201);
        Answer made = api.post(
                        "/api/switch", "{\"rule\":\"*\",\"to\":\"shadow\",\"in\":\"30m\",\"reason\":\"incident\"}")
                .expect(201);
        awaitAdjusted(2, 1, 1);
        clock.advance(Duration.ofMinutes(30));
        awaitAdjusted(3, 1, 0);
        JsonNode ended = api.get("/api/switch").json().get(0);
        assertThat(ended.get("active").asBoolean()).isFalse();
        assertThat(ended.get("ended_at").asString()).isEqualTo(made.string("until"));
        assertThat(ended.get("end_reason").asString()).isEqualTo("expired");
    }

    @Test
    void aSwitchIsForARuleOrForAll() {
        api.post("/api/switch", "{\"rule\":\"login\",\"to\":\"shadow\",\"in\":\"24h\",\"reason\":\"x\"}")
                .expect(201);
        api.post("/api/switch", "{\"rule\":\"none\",\"to\":\"shadow\",\"in\":\"1h\",\"reason\":\"x\"}")
                .expect(422);
        for (String wrong : new String[] {
            "{\"rule\":\"*\",\"to\":\"shadow\",\"in\":\"25h\",\"reason\":\"x\"}",
            "{\"rule\":\"*\",\"to\":\"off\",\"in\":\"1h\",\"reason\":\"x\"}",
            "{\"rule\":\"*\",\"to\":\"shadow\",\"in\":\"1h\"}",
            "{\"rule\":\"*\",\"to\":\"shadow\",\"reason\":\"x\"}",
            "{\"to\":\"shadow\",\"in\":\"1h\",\"reason\":\"x\"}"
        }) {
            api.post("/api/switch", wrong).expect(400);
        }
        long id = api.get("/api/switch").json().get(0).get("id").asLong();
        api.send("DELETE", "/api/switch/" + id + "?reason=over", "application/json", "")
                .expect(200);
    }

    @Test
    void saysHowManyNodesHaveIt() {
        FakeNode first = new FakeNode(api, "n1");
        FakeNode second = new FakeNode(api, "n2");
        first.runs(1);
        second.runs(1);
        Answer made = override("{\"ip\":\"192.0.2.7\"}", "{\"limit\":500}", "\"in\":\"2h\"", "x")
                .expect(201);
        assertThat(made.number("applied")).isZero();
        assertThat(made.number("nodes")).isEqualTo(2);
        first.adjusted(1).runs(1);
        assertThat(api.get("/api/overrides").json().get(0).get("applied").asInt())
                .isEqualTo(1);
        awaitAdjusted(1, 1, 0);
        assertThat(api.get("/api/status").json().at("/adjustments/applied").asInt())
                .isEqualTo(1);
        second.adjusted(1).runs(1);
        assertThat(api.get("/api/status").json().at("/adjustments/applied").asInt())
                .isEqualTo(2);
        assertThat(api.get("/api/nodes/n1").number("adjustments")).isEqualTo(1);
    }

    @Test
    void survivesARestart() throws Exception {
        override("{\"ip\":\"192.0.2.7\"}", "{\"limit\":500}", "\"in\":\"2h\"", "x")
                .expect(201);
        center.close();
        center = Center.open(PreparedCenter.in(data), clock);
        api = ApiClient.of(center);
        awaitAdjusted(1, 1, 0);
        // A release changes nothing about it.
        api.release("login", 6);
        awaitAdjusted(1, 1, 0);
    }

    private void awaitAdjusted(long revision, int overrides, int switches) {
        Await.until("adjustments " + revision, SOON, () -> {
            clock.advance(Duration.ofMillis(200));
            center.step();
            JsonNode shown = api.get("/api/status").json().get("adjustments");
            return shown.get("revision").asLong() == revision
                    && shown.get("overrides").asInt() == overrides
                    && shown.get("switches").asInt() == switches;
        });
    }

    private Instant in(Duration span) {
        return Instant.ofEpochMilli(clock.epochMicros() / 1000).plus(span);
    }

    private Answer override(String caller, String numbers, String end, String reason) {
        return api.post(
                "/api/overrides",
                "{\"rule\":\"login\",\"limit\":\"login.0\",\"caller\":" + caller + ",\"numbers\":" + numbers + "," + end
                        + ",\"reason\":\"" + reason + "\"}");
    }
}
