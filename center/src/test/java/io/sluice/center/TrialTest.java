package io.sluice.center;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.center.ApiClient.Answer;
import io.sluice.core.time.ManualClock;
import io.sluice.rules.snapshot.NodeShare;
import io.sluice.testkit.Await;
import io.sluice.testkit.QuietClock;
import java.nio.file.Path;
import java.time.Duration;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

/** A change is tried before it is in force. */
class TrialTest {

    private static final Duration SOON = Duration.ofMinutes(5);
    private static final String WHY = "{\"reason\":\"to test\"}";

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
    void someCallersTryAVersionWhileAnotherIsInForce() {
        Answer change = api.open(1, "login", 6).expect(201);
        Answer trial = api.release(change, "{\"callers\":\"5%\"}", "").expect(202);
        assertThat(trial.string("state")).isEqualTo("trial");
        assertThat(trial.number("version")).isEqualTo(2);
        JsonNode details = trial.get("trial");
        assertThat(details.get("scope").asString()).isEqualTo("callers");
        assertThat(details.get("by").asString()).isEqualTo("ip");
        assertThat(details.get("share").asInt()).isEqualTo(5);
        assertThat(details.get("replaces").asInt()).isEqualTo(1);
        assertThat(details.get("automatic").asBoolean()).isFalse();
        assertThat(details.get("verdict").isNull()).isTrue();

        assertThat(api.get("/api/rules").number("version")).isEqualTo(1);
        assertThat(api.get("/api/versions/2").json().at("/version/trial").asBoolean())
                .isTrue();
        assertThat(api.get("/api/changes/" + change.number("id")).string("state"))
                .isEqualTo("trial");
        assertThat(api.get("/api/changes?state=trial").json()).hasSize(1);
    }

    @Test
    void anotherReleaseWaitsForTheEndOfATrial() {
        Answer trial = begin("login", 6, "{\"callers\":\"5%\"}", "");
        Answer other = api.open(1, "orders", 7).expect(201);
        Answer refused = api.release(other, "\"all\"", "").expect(409);
        assertThat(refused.string("detail"))
                .contains("version 2 is on trial")
                .contains("/api/rollouts/" + trial.number("id") + "/promote")
                .contains("/api/rollouts/" + trial.number("id") + "/abort");
        // The change on trial is fixed.
        api.put("/api/changes/" + trial.number("change"), ApiClient.change(1, ApiClient.put("login", 8)))
                .expect(409);
    }

    @Test
    void aNodeAcknowledgesTheVersionThatItsCallersTry() {
        FakeNode node = new FakeNode(api, "n1");
        node.runs(1);
        Answer trial = begin("login", 6, "{\"callers\":\"5%\"}", "");
        assertThat(trial.number("waiting")).isEqualTo(1);
        node.tries(2, FakeNode.NOTHING, FakeNode.NOTHING).runs(1);
        Answer applied = rollout(trial);
        assertThat(applied.number("applied")).isEqualTo(1);
        assertThat(applied.string("state")).isEqualTo("trial");
        assertThat(api.get("/api/nodes/n1").number("trial")).isEqualTo(2);
        assertThat(api.get("/api/nodes/n1").get("current").asBoolean()).isTrue();
    }

    @Test
    void goesStepByStepAndThenToAll() {
        FakeNode node = new FakeNode(api, "n1");
        node.runs(1);
        Answer trial = begin("login", 6, "{\"callers\":[\"1%\",\"10%\"],\"by\":\"ip\"}", "");
        assertThat(trial.json().at("/trial/share").asInt()).isEqualTo(1);
        Answer second = post(trial, "promote", WHY).expect(202);
        assertThat(second.json().at("/trial/share").asInt()).isEqualTo(10);
        assertThat(second.json().at("/trial/step").asInt()).isEqualTo(1);
        assertThat(second.string("state")).isEqualTo("trial");
        assertThat(api.get("/api/rules").number("version")).isEqualTo(1);

        Answer all = post(trial, "promote", WHY).expect(202);
        assertThat(all.string("state")).isEqualTo("releasing");
        assertThat(api.get("/api/rules").number("version")).isEqualTo(2);
        assertThat(api.get("/api/versions/2").json().at("/version/trial").asBoolean())
                .isFalse();
        assertThat(api.get("/api/changes/" + trial.number("change")).string("state"))
                .isEqualTo("released");
        node.triesNothing().runs(2);
        awaitState(trial, "done");
        post(trial, "promote", WHY).expect(409);
    }

    @Test
    void stepsCanBeSkipped() {
        Answer trial = begin("login", 6, "{\"nodes\":[\"1%\",\"10%\",\"50%\"]}", "");
        post(trial, "promote", "{\"reason\":\"urgent\",\"to\":\"all\"}").expect(202);
        awaitState(trial, "done");
        assertThat(api.get("/api/rules").number("version")).isEqualTo(2);
    }

    @Test
    void anAbortEndsATrialWithANewVersionOfTheOldRules() {
        Answer trial = begin("login", 6, "{\"callers\":[\"1%\",\"50%\"]}", "");
        Answer aborted = post(trial, "abort", "{\"reason\":\"complaints\"}").expect(202);
        assertThat(aborted.string("state")).isEqualTo("rolled_back");
        assertThat(aborted.get("ended_at").isNull()).isFalse();
        assertThat(api.get("/api/rollouts/" + aborted.number("successor")).number("version"))
                .isEqualTo(3);
        JsonNode version = api.get("/api/versions/3").json().get("version");
        assertThat(version.get("content_of").asInt()).isEqualTo(1);
        assertThat(version.get("reason").asString()).isEqualTo("complaints");
        assertThat(api.get("/api/rules").number("version")).isEqualTo(3);
        // The change is open again: it can be edited, or tried again.
        Answer change = api.get("/api/changes/" + trial.number("change"));
        assertThat(change.string("state")).isEqualTo("open");
        assertThat(api.release(change, "{\"callers\":\"5%\"}", "").expect(202).number("version"))
                .isEqualTo(4);
    }

    @Test
    void aRollbackEndsATrialAndSkipsItsSteps() {
        Answer trial = begin("login", 6, "{\"callers\":[\"1%\",\"50%\"]}", "");
        Answer back =
                api.post("/api/rollback", "{\"to\":1,\"reason\":\"incident\"}").expect(202);
        assertThat(back.number("version")).isEqualTo(3);
        assertThat(rollout(trial).string("state")).isEqualTo("rolled_back");
        assertThat(rollout(trial).number("successor")).isEqualTo(back.number("id"));
        post(trial, "promote", WHY).expect(409);
    }

    @Test
    void aShareOfNodesTriesAVersion() {
        FakeNode within = new FakeNode(api, node(true, 50));
        FakeNode outside = new FakeNode(api, node(false, 50));
        within.runs(1);
        outside.runs(1);
        Answer trial = begin("login", 6, "{\"nodes\":\"50%\"}", "");
        assertThat(trial.get("nodes")).hasSize(1);
        assertThat(trial.json().at("/nodes/0/id").asString()).isEqualTo(node(true, 50));
        assertThat(trial.number("waiting")).isEqualTo(1);
        within.runs(2);
        assertThat(rollout(trial).number("applied")).isEqualTo(1);
        assertThat(rollout(trial).string("state")).isEqualTo("trial");
        Await.until("both are current", SOON, () -> isCurrent(true) && isCurrent(false));
    }

    private boolean isCurrent(boolean within) {
        return api.get("/api/nodes/" + node(within, 50)).get("current").asBoolean();
    }

    @Test
    void aNodeThatRefusesTheVersionIsAVerdict() {
        FakeNode within = new FakeNode(api, node(true, 50));
        within.runs(1);
        Answer trial = begin("login", 6, "{\"nodes\":\"50%\"}", "");
        within.refuses(1, 2, "login: no key for hashes");
        Await.until("a verdict", SOON, () -> {
            within.refuses(1, 2, "login: no key for hashes");
            center.step();
            return !rollout(trial).json().at("/trial/verdict").isNull();
        });
        JsonNode verdict = rollout(trial).json().at("/trial/verdict");
        assertThat(verdict.get("verdict").asString()).isEqualTo("roll_back");
        assertThat(verdict.get("why").asString()).contains("refuses version 2").contains("no key for hashes");
        // A dry run shows it and does nothing.
        assertThat(rollout(trial).string("state")).isEqualTo("trial");

        post(trial, "verdict", "{\"automatic\":true}").expect(200);
        awaitState(trial, "rolled_back");
        assertThat(api.get("/api/rules").number("version")).isEqualTo(3);
        JsonNode command = api.get("/api/commands").json().get(0);
        assertThat(command.get("kind").asString()).isEqualTo("abort_rollout");
        assertThat(command.get("actor").asString()).isEqualTo("center");
    }

    @Test
    void callersCannotTryALimitThatAllShare() {
        String shared = "{\"put\":{\"id\":\"all\",\"limits\":[{\"rate\":\"5/s\"}]}}";
        Answer change = api.post("/api/changes", ApiClient.change(1, shared)).expect(201);
        Answer refused = api.release(change, "{\"callers\":\"5%\"}", "").expect(422);
        assertThat(refused.string("detail")).contains("limit all.0").contains("candidate");
        assertThat(refused.get("errors")).hasSize(1);
        Answer byUser = api.open(1, "login", 6).expect(201);
        assertThat(api.release(byUser, "{\"callers\":\"5%\",\"by\":\"user\"}", "")
                        .expect(422)
                        .string("detail"))
                .contains("limit login.0");
        assertThat(api.get("/api/rollouts").json()).hasSize(1);
    }

    @Test
    void refusesVerdictsOnBiasedCounts() {
        Answer change = api.open(1, "login", 6).expect(201);
        assertThat(api.release(change, "{\"nodes\":\"10%\"}", ",\"verdict\":{\"compare\":[\"refusals\"]}")
                        .expect(422)
                        .string("detail"))
                .contains("share the counts");
        assertThat(api.release(change, "{\"named\":{\"ip\":[\"192.0.2.7\"]}}", ",\"verdict\":{\"automatic\":true}")
                        .expect(422)
                        .string("detail"))
                .contains("not drawn at random");
        Answer named =
                api.release(change, "{\"named\":{\"ip\":[\"192.0.2.7\"]}}", "").expect(202);
        assertThat(named.json().at("/trial/named/0").asString()).isEqualTo("19***");
        post(named, "verdict", "{\"automatic\":true}").expect(422);
        post(named, "verdict", "{\"automatic\":false}").expect(200);
        // Who tries it is not stored where it can never be deleted.
        assertThat(api.get("/api/commands").text()).doesNotContain("192.0.2.7");
    }

    @Test
    void refusesWhatIsNoTrial() {
        Answer change = api.open(1, "login", 6).expect(201);
        for (String to : new String[] {
            "\"some\"",
            "{}",
            "[]",
            "{\"callers\":\"0%\"}",
            "{\"callers\":5}",
            "{\"callers\":[\"10%\",\"5%\"]}",
            "{\"callers\":[]}",
            "{\"nodes\":\"100%\"}",
            "{\"nodes\":\"5%\",\"by\":\"ip\"}",
            "{\"tenants\":[]}",
            "{\"tenants\":[7]}",
            "{\"named\":{}}",
            "{\"callers\":\"5%\",\"nodes\":\"5%\"}"
        }) {
            api.release(change, to, "").expect(400);
        }
        for (String verdict : new String[] {
            "{\"compare\":[\"luck\"]}",
            "{\"compare\":[]}",
            "{\"every\":\"1ms\"}",
            "{\"tolerance\":{\"refusals\":1}}",
            "{\"tolerance\":{\"latency\":\"1%\"}}",
            "{\"min_requests\":0}",
            "{\"automatic\":1}",
            "{\"luck\":1}",
            "7"
        }) {
            api.release(change, "{\"callers\":\"5%\"}", ",\"verdict\":" + verdict)
                    .expect(400);
        }
        api.release(change, "\"all\"", ",\"verdict\":{}").expect(400);
    }

    @Test
    void theFirstReleaseCannotBeATrial() throws Exception {
        try (Center empty = Center.open(PreparedCenter.in(data.resolve("empty")), clock)) {
            ApiClient other = ApiClient.of(empty);
            Answer change = other.open(0, "login", 5).expect(201);
            assertThat(other.release(change, "{\"nodes\":\"5%\"}", "")
                            .expect(409)
                            .string("detail"))
                    .contains("no rules are in force");
        }
    }

    @Test
    void aCandidateIsReleasedBesideTheLimitsAndThenPromoted() {
        Answer trial = begin("login", 2, "\"candidate\"", "");
        assertThat(trial.string("state")).isEqualTo("trial");
        assertThat(trial.json().at("/trial/scope").asString()).isEqualTo("candidate");
        JsonNode rule = api.get("/api/rules/login").json().get("rule");
        assertThat(rule.at("/limits/0/limit").asInt()).isEqualTo(5);
        assertThat(rule.get("candidate").toString()).contains("\"limit\":2");
        assertThat(api.get("/api/rules").number("version")).isEqualTo(2);
        FakeNode node = new FakeNode(api, "n1");
        node.runs(2);
        assertThat(rollout(trial).number("applied")).isEqualTo(1);

        Answer promoted = post(trial, "promote", WHY).expect(202);
        assertThat(promoted.number("version")).isEqualTo(3);
        rule = api.get("/api/rules/login").json().get("rule");
        assertThat(rule.at("/limits/0/limit").asInt()).isEqualTo(2);
        assertThat(rule.has("candidate")).isFalse();
        node.runs(3);
        awaitState(trial, "done");
    }

    @Test
    void anAbortedCandidateDisappears() {
        Answer trial = begin("login", 2, "\"candidate\"", "");
        post(trial, "abort", WHY).expect(202);
        assertThat(api.get("/api/rules").number("version")).isEqualTo(3);
        assertThat(api.get("/api/rules/login").json().get("rule").has("candidate"))
                .isFalse();
        Answer removal = api.post("/api/changes", ApiClient.change(3, "{\"remove\":\"login\"}"))
                .expect(201);
        assertThat(api.release(removal, "\"candidate\"", "").expect(422).string("detail"))
                .contains("login");
    }

    @Test
    void aTrialSurvivesARestart() throws Exception {
        Answer trial = begin("login", 6, "{\"callers\":[\"1%\",\"50%\"]}", "");
        String key = pointerKey();
        center.close();
        center = Center.open(PreparedCenter.in(data), clock);
        api = ApiClient.of(center);
        assertThat(rollout(trial).string("state")).isEqualTo("trial");
        assertThat(pointerKey()).isEqualTo(key);
        assertThat(post(trial, "promote", WHY)
                        .expect(202)
                        .json()
                        .at("/trial/share")
                        .asInt())
                .isEqualTo(50);
        // The same callers stay on trial, because the key stays the same.
        assertThat(pointerKey()).isEqualTo(key);
    }

    private String pointerKey() {
        try (var connection = java.sql.DriverManager.getConnection("jdbc:sqlite:" + data.resolve("center.db"));
                var rows = connection.createStatement().executeQuery("SELECT MAX(split_key) FROM rollout")) {
            return rows.getString(1);
        } catch (java.sql.SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    private Answer begin(String rule, int limit, String to, String more) {
        long base = api.get("/api/rules").number("version");
        return api.release(api.open(base, rule, limit).expect(201), to, more).expect(202);
    }

    private Answer post(Answer rollout, String what, String body) {
        return api.post("/api/rollouts/" + rollout.number("id") + "/" + what, body);
    }

    private Answer rollout(Answer rollout) {
        return api.get("/api/rollouts/" + rollout.number("id")).expect(200);
    }

    private void awaitState(Answer rollout, String state) {
        Await.until("state " + state, SOON, () -> {
            center.step();
            return rollout(rollout).string("state").equals(state);
        });
    }

    /** Returns the id of a node that is within a share of the nodes, or not. */
    private static String node(boolean within, int percent) {
        return IntStream.range(0, 1_000)
                .mapToObj(i -> "node-" + i)
                .filter(id -> new NodeShare(id).isWithin(percent) == within)
                .findFirst()
                .orElseThrow();
    }
}
