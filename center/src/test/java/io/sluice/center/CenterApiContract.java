package io.sluice.center;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.center.ApiClient.Answer;
import io.sluice.center.access.Grant;
import io.sluice.center.access.Role;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

/** What the API does on every database. */
abstract class CenterApiContract {

    @TempDir
    Path data;

    private Center center;
    private ApiClient api;

    /** Returns the JDBC URL of an empty database. */
    abstract String emptyDatabase();

    @BeforeEach
    void start() throws Exception {
        center = Center.open(PreparedCenter.in(data, emptyDatabase()));
        api = ApiClient.of(center);
    }

    @AfterEach
    void stop() {
        center.close();
    }

    @Test
    void startsWithoutRules() {
        Answer rules = api.get("/api/rules").expect(200);
        assertThat(rules.number("version")).isZero();
        assertThat(rules.get("rules")).isEmpty();
    }

    @Test
    void releasesAChangeAsTheNextVersion() {
        Answer change = api.open(0, "login", 5).expect(201);
        assertThat(change.string("state")).isEqualTo("open");
        assertThat(change.string("author")).isEqualTo("token:admin");
        assertThat(change.json().at("/diff/sentences/0").asString()).isEqualTo("login: added (1 limit)");
        assertThat(change.json().at("/checks/releasable").asBoolean()).isTrue();

        assertThat(api.release(change)).isEqualTo(1);

        Answer rules = api.get("/api/rules").expect(200);
        assertThat(rules.number("version")).isEqualTo(1);
        assertThat(rules.string("digest")).isEqualTo(change.string("digest"));
        assertThat(rules.json().at("/rules/0/id").asString()).isEqualTo("login");
        Answer after = api.get("/api/changes/" + change.number("id")).expect(200);
        assertThat(after.string("state")).isEqualTo("released");
        assertThat(after.number("version")).isEqualTo(1);
        Answer version = api.get("/api/versions/1").expect(200);
        assertThat(version.json().at("/version/title").asString()).isEqualTo("test");
        assertThat(version.json().at("/rules/0/limits/0/limit").asInt()).isEqualTo(5);
    }

    @Test
    void storesEveryCommandWithItsActorReasonAndExpectation() {
        api.release("login", 5);
        JsonNode commands = api.get("/api/commands").expect(200).json();
        assertThat(commands).hasSize(2);
        assertThat(commands.at("/0/kind").asString()).isEqualTo("release_change");
        assertThat(commands.at("/1/kind").asString()).isEqualTo("open_change");
        assertThat(commands.at("/1/actor").asString()).isEqualTo("token:admin");
        assertThat(commands.at("/1/reason").asString()).isEqualTo("to test");
        assertThat(commands.at("/1/body/content/edits/0/put/id").asString()).isEqualTo("login");
    }

    @Test
    void refusesBadRulesWithEveryError() {
        Answer refused = api.post(
                        "/api/changes",
                        ApiClient.change(
                                0,
                                "{\"put\":{\"id\":\"a\",\"limits\":[{\"limit\":\"many\",\"window\":\"1m\"}]}},"
                                        + "{\"put\":{\"id\":\"b\",\"limits\":[{\"rate\":\"5/s\",\"brst\":3}]}},{\"drop\":1}"))
                .expect(422);
        assertThat(refused.type()).startsWith("application/problem+json");
        assertThat(refused.get("errors")).hasSize(3);
        assertThat(refused.json().at("/errors/0/file").asString()).isEqualTo("edits[0].put");
        assertThat(refused.json().at("/errors/0/line").asInt()).isEqualTo(1);
        assertThat(api.get("/api/changes").json()).isEmpty();
    }

    @Test
    void takesAWholeDocumentInYamlAndKeepsItsOrder() {
        api.release("b", 1);
        String yaml = "rules:\n  - id: a\n    limits: [{rate: 5/s}]\n  - id: b\n    limits: [{rate: 6/s}]\n";
        Answer change = api.send("POST", "/api/changes?title=all&reason=new&base=1", "application/yaml", yaml)
                .expect(201);
        assertThat(change.json().at("/diff/counts").toString()).isEqualTo("{\"added\":1,\"changed\":1,\"removed\":0}");
        api.release(change);
        JsonNode rules = api.get("/api/rules").json();
        assertThat(rules.at("/rules/0/id").asString()).isEqualTo("a");
        assertThat(rules.at("/rules/1/id").asString()).isEqualTo("b");
    }

    @Test
    void findsRulesThatNeverActAndTellsWhatAChangeMeansForCounts() {
        api.release("login", 5);
        Answer change = api.post(
                        "/api/changes",
                        ApiClient.change(
                                1,
                                "{\"put\":{\"id\":\"banned\",\"resource\":\"/**\",\"action\":\"deny\"}},"
                                        + "{\"put\":{\"id\":\"login\",\"resource\":\"/login\",\"limits\":[{\"by\":\"ip\",\"limit\":5,"
                                        + "\"window\":\"2m\"}]}}"))
                .expect(201);
        JsonNode checks = change.get("checks");
        assertThat(checks.at("/findings/0/rule").asString()).isEqualTo("login");
        assertThat(checks.at("/findings/0/kind").asString()).isEqualTo("never_acts");
        assertThat(checks.at("/findings/0/other").asString()).isEqualTo("banned");
        assertThat(checks.at("/counts/0").asString())
                .startsWith("login: ")
                .contains("starts a new count")
                .contains("the old and the new limit can both be used");
    }

    @Test
    void refusesAChangeThatChangesNothing() {
        api.release("login", 5);
        api.open(1, "login", 5).expect(422);
    }

    @Test
    void twoChangesMayTouchTheSameRuleButTheSecondCollides() {
        api.release("login", 5);
        Answer first = api.open(1, "login", 10).expect(201);
        Answer second = api.open(1, "login", 20).expect(201);
        api.release(first);

        Answer refused = api.post(
                        "/api/changes/" + second.number("id") + "/release",
                        "{\"digest\":\"" + second.string("digest") + "\"}")
                .expect(409);
        JsonNode collision = refused.get("collisions").get(0);
        assertThat(collision.get("rule").asString()).isEqualTo("login");
        assertThat(collision.get("theirs").get(0).asString()).contains("5 per 1m → 10 per 1m");
        assertThat(collision.get("ours").get(0).asString()).contains("5 per 1m → 20 per 1m");
        assertThat(collision.get("diff").asString())
                .contains("-    \"limit\" : 10")
                .contains("+    \"limit\" : 20");
        assertThat(api.get("/api/changes/" + second.number("id"))
                        .json()
                        .at("/checks/releasable")
                        .asBoolean())
                .isFalse();

        Answer rebased =
                api.post("/api/changes/" + second.number("id") + "/rebase", "").expect(200);
        assertThat(rebased.number("base")).isEqualTo(2);
        assertThat(rebased.number("revision")).isEqualTo(2);
        assertThat(rebased.json().at("/diff/sentences/0").asString()).contains("10 per 1m → 20 per 1m");
        assertThat(api.release(rebased)).isEqualTo(3);
    }

    @Test
    void aChangeOfAnotherRuleDoesNotCollideButMustBeLookedAtAgain() {
        api.release("login", 5);
        Answer first = api.open(1, "orders", 10).expect(201);
        api.release("sms", 1);

        api.post("/api/changes/" + first.number("id") + "/release", "{\"digest\":\"" + first.string("digest") + "\"}")
                .expect(409);
        assertThat(api.release(api.get("/api/changes/" + first.number("id")))).isEqualTo(3);
        assertThat(api.get("/api/rules").get("rules")).hasSize(3);
    }

    @Test
    void aReleaseBoundToItsBaseFailsOnAnyOther() {
        api.release("login", 5);
        Answer change = api.open(1, "orders", 10).expect(201);
        api.release("sms", 1);
        Answer now = api.get("/api/changes/" + change.number("id"));
        api.post(
                        "/api/changes/" + change.number("id") + "/release",
                        "{\"base\":1,\"digest\":\"" + now.string("digest") + "\"}")
                .expect(409);
    }

    @Test
    void aRollbackIsANewVersionWithOldContent() {
        api.release("login", 5);
        api.release("login", 50);
        Answer rollout = api.post("/api/rollback", "{\"to\":1,\"reason\":\"too many logins\"}")
                .expect(202);
        assertThat(rollout.number("version")).isEqualTo(3);
        assertThat(api.get("/api/rules").json().at("/rules/0/limits/0/limit").asInt())
                .isEqualTo(5);
        JsonNode version = api.get("/api/versions/3").json().get("version");
        assertThat(version.get("content_of").asLong()).isEqualTo(1);
        assertThat(version.get("reason").asString()).isEqualTo("too many logins");
        assertThat(version.get("digest"))
                .isEqualTo(api.get("/api/versions/1").json().at("/version/digest"));
        // The next change starts from what is in force now. What was rolled back does not come again.
        api.release("orders", 7);
        assertThat(api.get("/api/rules/login").json().at("/rule/limits/0/limit").asInt())
                .isEqualTo(5);
    }

    @Test
    void aChangeOnARolledBackVersionCollides() {
        api.release("login", 5);
        api.release("login", 50);
        Answer change = api.open(2, "login", 60).expect(201);
        api.post("/api/rollback", "{\"to\":1,\"reason\":\"undo\"}").expect(202);
        api.post("/api/changes/" + change.number("id") + "/release", "{\"digest\":\"" + change.string("digest") + "\"}")
                .expect(409);
    }

    @Test
    void refusesARollbackToUnknownOrEqualContent() {
        api.release("login", 5);
        api.post("/api/rollback", "{\"to\":9,\"reason\":\"x\"}").expect(404);
        api.post("/api/rollback", "{\"to\":1,\"reason\":\"x\"}").expect(409);
        api.release("login", 6);
        api.post("/api/rollback", "{\"to\":1,\"reason\":\" \"}").expect(400);
        api.post("/api/rollback", "{\"to\":1,\"reason\":\"x\",\"expected\":1}").expect(409);
    }

    @Test
    void anEditNeedsTheRevisionThatItSaw() {
        Answer change = api.open(0, "login", 5).expect(201);
        String path = "/api/changes/" + change.number("id");
        String edit = "{\"title\":\"t\",\"reason\":\"r\",\"base\":0,\"revision\":1,\"edits\":["
                + ApiClient.put("login", 6) + "]}";
        assertThat(api.put(path, edit).expect(200).number("revision")).isEqualTo(2);
        api.put(path, edit).expect(409);
    }

    @Test
    void aClosedChangeCannotBeReleased() {
        Answer change = api.open(0, "login", 5).expect(201);
        String path = "/api/changes/" + change.number("id");
        assertThat(api.post(path + "/withdraw", "{\"reason\":\"a mistake\"}")
                        .expect(200)
                        .string("state"))
                .isEqualTo("withdrawn");
        api.post(path + "/release", "{\"digest\":\"" + change.string("digest") + "\"}")
                .expect(409);
        api.post(path + "/rebase", "").expect(409);
        assertThat(api.get("/api/changes?state=withdrawn").json()).hasSize(1);
        assertThat(api.get("/api/changes?state=open").json()).isEmpty();
        api.get("/api/changes?state=lost").expect(400);
    }

    @Test
    void aReleasedChangeCannotBeReleasedAgain() {
        Answer change = api.open(0, "login", 5).expect(201);
        api.release(change);
        Answer again = api.post(
                        "/api/changes/" + change.number("id") + "/release",
                        "{\"digest\":\"" + change.string("digest") + "\"}")
                .expect(409);
        assertThat(again.string("detail")).contains("released as version 1");
    }

    @Test
    void theCredentialDecidesWhoActs() {
        // A request that names another actor is refused, not obeyed.
        api.post(
                        "/api/changes",
                        "{\"title\":\"t\",\"reason\":\"r\",\"author\":\"root\",\"base\":0,\"edits\":["
                                + ApiClient.put("login", 5) + "]}")
                .expect(400);
        api.post("/api/rollback", "{\"to\":1,\"reason\":\"x\",\"actor\":\"root\"}")
                .expect(400);
    }

    @Test
    void needsAToken() {
        for (String token : List.of("", "wrong", "0".repeat(43))) {
            ApiClient other = api.withToken(token);
            other.get("/api/rules").expect(401);
            other.post("/api/rollback", "{}").expect(401);
            other.get("/api/nodes/rules").expect(401);
            other.get("/api/nothing").expect(401);
            other.get("/health").expect(200);
        }
    }

    @Test
    void answersEveryFailureWithAProblem() {
        for (Answer answer : List.of(
                api.get("/api/nothing").expect(404),
                api.get("/api/rules/none").expect(404),
                api.get("/api/versions/7").expect(404),
                api.get("/api/versions/x").expect(400),
                api.get("/api/versions/1/diff").expect(400),
                api.get("/api/changes/7").expect(404),
                api.get("/api/rollouts/7").expect(404),
                api.get("/api/nodes/none").expect(404),
                api.send("DELETE", "/api/rules", "application/json", "").expect(405),
                api.post("/api/changes", "{").expect(400),
                api.post("/api/changes", "[]").expect(400),
                api.post("/api/changes", "{\"title\":\"a\",\"title\":\"b\"}").expect(400),
                api.post("/api/changes", ApiClient.change(7, ApiClient.put("login", 5)))
                        .expect(400),
                api.post("/api/changes", ApiClient.change(0, "{\"remove\":\"none\"}"))
                        .expect(422),
                api.post("/api/changes", ApiClient.change(0, ApiClient.put("a", 1) + "," + ApiClient.put("a", 2)))
                        .expect(400),
                api.post("/api/changes/1/release", "{\"digest\":\"x\"}").expect(400),
                api.post("/api/nodes/n1/heartbeat", "{}").expect(400))) {
            assertThat(answer.type()).startsWith("application/problem+json");
            assertThat(answer.string("detail")).isNotBlank();
            assertThat(answer.get("status").asInt()).isEqualTo(answer.status());
        }
    }

    @Test
    void acceptsTheFieldsThatItsDescriptionNames() {
        ApiClient person = ApiClient.person(center, "ann", Grant.of(Role.ADMINISTRATOR));
        JsonNode description =
                api.withToken("none").get("/api/openapi.json").expect(200).json();
        description.get("paths").properties().forEach(path -> path.getValue()
                .properties()
                .forEach(method -> {
                    JsonNode schema = method.getValue().at("/requestBody/content/application~1json/schema/$ref");
                    if (schema.isMissingNode() || path.getKey().endsWith("/heartbeat")) {
                        return;
                    }
                    JsonNode described =
                            description.at(schema.asString().substring(1)).get("properties");
                    Answer refused = person.send(
                                    method.getKey().toUpperCase(java.util.Locale.ROOT),
                                    path.getKey().replace("{id}", "1"),
                                    "application/json",
                                    "{\"no such field\":1}")
                            .expect(400);
                    assertThat(refused.string("detail"))
                            .as(path.getKey())
                            .endsWith("(expected: "
                                    + String.join(", ", new java.util.TreeSet<>(described.propertyNames())) + ")");
                }));
    }

    @Test
    void tellsWhatHappenedToARule() {
        api.release("login", 5);
        api.release("orders", 7);
        api.release("login", 6);
        JsonNode history = api.get("/api/rules/login/history").expect(200).json();
        assertThat(history.get("steps")).hasSize(2);
        assertThat(history.at("/steps/0/version/number").asInt()).isEqualTo(3);
        assertThat(history.at("/steps/1/sentences/0").asString()).isEqualTo("login: added (1 limit)");
        assertThat(history.get("complete").asBoolean()).isTrue();
        JsonNode diff = api.get("/api/versions/1/diff?to=3").expect(200).json();
        assertThat(diff.get("sentences")).hasSize(2);
        assertThat(diff.get("text").asString()).contains("+++ orders");
        api.get("/api/rules/none/history").expect(404);
    }

    @Test
    void keepsItsStateOverARestart() throws Exception {
        api.release("login", 5);
        Answer change = api.open(1, "login", 6).expect(201);
        CenterSettings again = settings();
        center.close();
        center = Center.open(again);
        api = ApiClient.of(center);
        assertThat(api.get("/api/rules").number("version")).isEqualTo(1);
        assertThat(api.release(api.get("/api/changes/" + change.number("id")))).isEqualTo(2);
    }

    /** Returns the settings of the running center. */
    private CenterSettings settings() {
        return CenterSettings.embedded(data).db(lastDatabase());
    }

    /** Returns the URL that {@link #emptyDatabase} returned last. */
    abstract String lastDatabase();
}
