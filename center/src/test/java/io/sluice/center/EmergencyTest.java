package io.sluice.center;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.center.ApiClient.Answer;
import io.sluice.center.access.Grant;
import io.sluice.center.access.Role;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

/** Acting at once without approval: for a while, with a reason, and reviewed by others. */
class EmergencyTest {

    private static final String BOX = ",\"emergency\":true,\"reason\":\"an attack is going on\"";

    @TempDir
    static Path data;

    private static SecondPerson center;

    @BeforeAll
    static void start() throws Exception {
        center = SecondPerson.in(data);
    }

    @AfterAll
    static void stop() {
        center.close();
    }

    @Test
    void isUndoneWhenItsTimeIsOverAndNobodyAcceptedIt() {
        center.protect("undone");
        Answer change = center.open("undone", 1);
        center.as("ann").release(change, "\"all\"", ",\"emergency\":true").expect(400);
        center.as("ann").release(change, "{\"callers\":\"5%\"}", BOX).expect(400);
        long version =
                center.as("ann").release(change, "\"all\"", BOX).expect(202).number("version");
        assertThat(limit("undone")).isEqualTo(1);
        JsonNode emergency = newest();
        assertThat(emergency.get("state").asString()).isEqualTo("waiting");
        assertThat(emergency.get("subject").asLong()).isEqualTo(version);
        assertThat(center.as("root").get("/api/status").get("problems").toString())
                .contains("waits for review");
        // It tells those who can review it, and nobody else.
        assertThat(center.as("bob").get("/api/notices").text()).contains("an attack is going on");
        assertThat(center.as("ann").get("/api/notices").json()).isEmpty();
        // What was changed since stays.
        center.as("ann").release("since", 7);
        center.clock().advance(Duration.ofHours(4));
        center.await("the end", () -> newest().get("state").asString().equals("ended"));
        assertThat(limit("undone")).isEqualTo(5);
        assertThat(limit("since")).isEqualTo(7);
        assertThat(newest().get("undone_by").asLong()).isEqualTo(center.version());
        assertThat(center.as("root").get("/api/commands").text())
                .contains("begin_emergency")
                .contains("end_emergency");
        // Somebody still reviews it, for the record.
        review("bob", "accept").expect(200);
        assertThat(limit("undone")).isEqualTo(5);
    }

    @Test
    void holdsIfAnotherPersonAcceptsIt() {
        center.protect("accepted");
        center.as("ann").release(center.open("accepted", 50), "\"all\"", BOX).expect(202);
        review("bob", "accept").expect(200);
        review("carol", "reject").expect(409);
        long version = center.version();
        center.clock().advance(Duration.ofHours(5));
        Answer later = center.as("ann")
                .release(
                        center.as("ann").open(version, "later", 5).expect(201),
                        "\"all\"",
                        ",\"at\":\"" + center.in(Duration.ofMinutes(1)) + "\"")
                .expect(202);
        center.clock().advance(Duration.ofMinutes(1));
        center.awaitRollout(later, "done");
        assertThat(limit("accepted")).isEqualTo(50);
    }

    @Test
    void isUndoneAtOnceIfAnotherPersonRejectsIt() {
        center.protect("rejected");
        center.as("ann").release(center.open("rejected", 50), "\"all\"", BOX).expect(202);
        Answer rejected = review("bob", "reject").expect(200);
        assertThat(rejected.string("state")).isEqualTo("rejected");
        assertThat(rejected.number("undone_by")).isEqualTo(center.version());
        assertThat(limit("rejected")).isEqualTo(5);
    }

    @Test
    void nobodyEverReviewsTheirOwnEmergency() {
        center.add("eve", "eve@example.com", Grant.of(Role.ADMINISTRATOR));
        center.add("eve2", "eve@example.com", Grant.of(Role.ADMINISTRATOR));
        center.add("author", "author@example.com", Grant.of(Role.ADMINISTRATOR));
        center.protect("reviewed");
        Answer change = center.open("author", SecondPerson.rule("reviewed", 50, ""));
        center.as("eve").release(change, "\"all\"", BOX).expect(202);
        for (String who : List.of("eve", "eve2", "author")) {
            review(who, "accept").expect(403);
            review(who, "reject").expect(403);
        }
        center.machine().post(path("accept"), "{\"reason\":\"x\"}").expect(403);
        review("ann", "accept").expect(403);
        review("bob", "reject").expect(200);
    }

    @Test
    void anEmergencyNeverOpensTheWayForOthers() {
        center.protect("flag");
        String bare =
                "{\"id\":\"flag\",\"resource\":\"/flag\",\"limits\":[{\"by\":\"ip\",\"limit\":5,\"window\":\"1m\"}]}";
        center.as("ann").release(center.open("ann", bare), "\"all\"", BOX).expect(202);
        // The rule is no longer protected, but counts as such until somebody reviewed the emergency.
        Answer change = center.open("ann", bare.replace("\"limit\":5", "\"limit\":500"));
        center.release(center.as("ann"), change).expect(403);
        center.as("olga")
                .post("/api/switch", "{\"rule\":\"flag\",\"to\":\"shadow\",\"in\":\"1h\",\"reason\":\"x\"}")
                .expect(403);
        // A second emergency does not become the content to return to.
        center.as("ann").release(change, "\"all\"", BOX).expect(202);
        center.clock().advance(Duration.ofHours(4));
        center.await("the end", () -> newest().get("state").asString().equals("ended"));
        JsonNode rule = center.as("root").get("/api/rules/flag").expect(200).json();
        assertThat(rule.toString()).contains("\"protected\":true").contains("\"limit\":5,");
    }

    @Test
    void anExemptionOfAnEmergencyNeverStaysBecauseItWasEdited() {
        center.protect("exempted");
        String exempt = "{\"id\":\"lifted\",\"action\":\"exempt\",\"resource\":\"/**\"}";
        center.as("ann").release(center.open("ann", exempt), "\"all\"", BOX).expect(202);
        // The rule is not protected and its scope stays, but a plain edit would hide it from the end of the emergency.
        Answer edited = center.open("ann", exempt.replace("}", ",\"name\":\"harmless\"}"));
        center.release(center.as("ann"), edited).expect(403);
        center.clock().advance(Duration.ofHours(4));
        center.await("the end", () -> newest().get("state").asString().equals("ended"));
        center.as("root").get("/api/rules/lifted").expect(404);
        // Under another name it is the same exemption.
        Answer renamed = center.open("ann", exempt.replace("lifted", "lifted-again"));
        center.as("ann").release(renamed, "\"all\"", BOX).expect(403);
        review("bob", "accept").expect(200);
    }

    @Test
    void nobodyRepeatsAnEmergencyUntilSomebodyElseReviewedIt() {
        center.add("oscar", "oscar@example.com", Grant.of(Role.OPERATOR));
        center.protect("again");
        String end = center.in(Duration.ofHours(4)).toString();
        assertThat(switchTo("olga", "again").expect(201).string("until")).isEqualTo(end);
        long first = newest().get("id").asLong();
        center.clock().advance(Duration.ofHours(3));
        // One that begins meanwhile ends with it.
        assertThat(switchTo("olga", "again").expect(201).string("until")).isEqualTo(end);
        assertThat(newest().get("ends_at").asString()).isEqualTo(end);
        center.clock().advance(Duration.ofHours(1));
        center.await("the end", () -> newest().get("state").asString().equals("ended"));
        assertThat(switchTo("olga", "again").expect(403).string("detail")).contains("waits for review");
        review("bob", "reject").expect(200);
        switchTo("olga", "again").expect(403);
        // Others still can act.
        switchTo("oscar", "again").expect(201);
        review("bob", "reject").expect(200);
        center.as("bob")
                .post("/api/emergencies/" + first + "/accept", "{\"reason\":\"looked at it\"}")
                .expect(200);
        switchTo("olga", "again").expect(201);
        review("bob", "reject").expect(200);
    }

    @Test
    void anEmergencyOfATrialNeverShowsToOtherTenants() {
        center.add("gina", "gina@example.com", Grant.of(Role.APPROVER, "globex"));
        Answer change = center.open("ann", SecondPerson.rule("acme-trial", 5, ",\"tenant\":\"acme\""));
        center.approve("bob", change).expect(200);
        Answer trial = center.as("ann")
                .release(change, "{\"callers\":[\"1%\",\"50%\"]}", "")
                .expect(202);
        switchTo("olga", "acme-trial").expect(201);
        assertThat(center.as("gina").get("/api/notices").json()).isEmpty();
        review("gina", "accept").expect(404);
        review("gina", "reject").expect(404);
        review("bob", "reject").expect(200);
        center.as("olga")
                .post("/api/rollouts/" + trial.number("id") + "/abort", "{\"reason\":\"x\"}")
                .expect(202);
    }

    private static Answer switchTo(String who, String rule) {
        return center.as(who)
                .post("/api/switch", "{\"rule\":\"" + rule + "\",\"to\":\"shadow\",\"in\":\"24h\"" + BOX + "}");
    }

    @Test
    void aRollbackAndAdjustmentsWorkTheSameWay() {
        center.protect("operated");
        long before = center.version();
        center.releaseApproved(center.open("operated", 50));
        center.as("olga").post("/api/rollback", "{\"to\":" + before + BOX + "}").expect(202);
        assertThat(limit("operated")).isEqualTo(5);
        review("bob", "reject").expect(200);
        assertThat(limit("operated")).isEqualTo(50);

        Answer made = center.as("olga")
                .post("/api/switch", "{\"rule\":\"operated\",\"to\":\"shadow\",\"in\":\"24h\"" + BOX + "}")
                .expect(201);
        assertThat(made.string("until"))
                .isEqualTo(center.in(Duration.ofHours(4)).toString());
        review("bob", "reject").expect(200);
        assertThat(center.as("root")
                        .get("/api/switch")
                        .json()
                        .get(0)
                        .get("active")
                        .asBoolean())
                .isFalse();

        Answer raised = center.as("olga")
                .post(
                        "/api/overrides",
                        "{\"rule\":\"operated\",\"limit\":\"operated.0\",\"caller\":{\"ip\":\"192.0.2.7\"},"
                                + "\"numbers\":{\"limit\":5000},\"in\":\"2h\"" + BOX + "}")
                .expect(201);
        assertThat(raised.string("until"))
                .isEqualTo(center.in(Duration.ofHours(2)).toString());
        review("bob", "accept").expect(200);
        assertThat(center.as("root")
                        .get("/api/overrides")
                        .json()
                        .get(0)
                        .get("active")
                        .asBoolean())
                .isTrue();
        // What needs no approval is no emergency.
        long last = newest().get("id").asLong();
        center.as("olga")
                .post("/api/switch", "{\"rule\":\"first\",\"to\":\"shadow\",\"in\":\"1h\"" + BOX + "}")
                .expect(201);
        assertThat(newest().get("id").asLong()).isEqualTo(last);
    }

    @Test
    void aTokenOrAnOldFactorNeverBeginsAnEmergency() {
        center.protect("stale");
        Answer change = center.open("stale", 50);
        ApiClient ann = center.as("ann");
        ApiClient bob = center.as("bob");
        center.clock().advance(Duration.ofMinutes(6));
        Answer old = ann.release(change, "\"all\"", BOX).expect(403);
        assertThat(old.string("detail")).contains("at most 5 minutes old");
        assertThat(old.string("title")).isEqualTo("Fresh factor needed");
        bob.post("/api/changes/" + change.number("id") + "/approve", "{\"digest\":\"" + change.string("digest") + "\"}")
                .expect(403);
        center.machine().release(change, "\"all\"", BOX).expect(403);
        center.machine()
                .post("/api/switch", "{\"rule\":\"*\",\"to\":\"shadow\",\"in\":\"1h\"" + BOX + "}")
                .expect(403);
        assertThat(limit("stale")).isEqualTo(5);
    }

    @Test
    void isUndoneAfterARestart() throws Exception {
        center.protect("restarted");
        center.as("ann").release(center.open("restarted", 50), "\"all\"", BOX).expect(202);
        Answer approved = center.open("restarted-too", 5);
        center.approve("bob", approved).expect(200);
        center.restart();
        assertThat(center.find(approved).json().at("/checks/releasable").asBoolean())
                .isTrue();
        center.release(center.as("ann"), approved).expect(202);
        center.clock().advance(Duration.ofHours(4));
        center.restart();
        center.await("the end", () -> newest().get("state").asString().equals("ended"));
        assertThat(limit("restarted")).isEqualTo(5);
        assertThat(limit("restarted-too")).isEqualTo(5);
    }

    @Test
    void oneThatCannotBeUndoneDoesNotKeepOthersInForce() {
        center.protect("sound");
        center.protect("broken");
        switchTo("olga", "sound").expect(201);
        center.as("ann").release(center.open("sound", 50), "\"all\"", BOX).expect(202);
        center.as("ann").release(center.open("broken", 50), "\"all\"", BOX).expect(202);
        long broken = newest().get("id").asLong();
        long version = newest().get("subject").asLong();
        subject(broken, version + 1_000_000);
        try {
            center.clock().advance(Duration.ofHours(4));
            center.await("the end of the other", () -> limit("sound") == 5);
            assertThat(limit("broken")).isEqualTo(50);
        } finally {
            subject(broken, version);
        }
        center.await("the end", () -> limit("broken") == 5);
    }

    private static void subject(long emergency, long subject) {
        int rows = center.center().people().database().write(client -> client.sql(
                        "UPDATE emergency SET subject = ? WHERE id = ?")
                .params(subject, emergency)
                .update());
        assertThat(rows).isEqualTo(1);
    }

    private static JsonNode newest() {
        return center.as("root").get("/api/emergencies").expect(200).json().get(0);
    }

    private static String path(String what) {
        return "/api/emergencies/" + newest().get("id").asLong() + "/" + what;
    }

    private static Answer review(String who, String what) {
        return center.as(who).post(path(what), "{\"reason\":\"looked at it\"}");
    }

    private static int limit(String rule) {
        return center.as("root")
                .get("/api/rules/" + rule)
                .expect(200)
                .json()
                .findValue("limit")
                .asInt();
    }
}
