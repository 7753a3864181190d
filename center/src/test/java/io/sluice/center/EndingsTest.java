package io.sluice.center;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.center.ApiClient.Answer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

/** Attacks on approvals and emergencies that end by time. */
class EndingsTest {

    private static final String BOX = ",\"emergency\":true,\"reason\":\"an attack is going on\"";
    private static final Duration EMERGENCY = Duration.ofHours(4);
    private static final Duration APPROVAL = Duration.ofDays(7);

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
    void ofTwoApprovalsTheOlderOneEndsFirst() {
        demand(2);
        try {
            Answer change = center.open("two", 5);
            center.approve("bob", change).expect(200);
            center.clock().stepWall(APPROVAL.minusMillis(1));
            center.approve("carol", change).expect(200);
            assertThat(isReleasable(change)).isTrue();
            center.clock().stepWall(Duration.ofMillis(1));
            assertThat(isReleasable(change)).isFalse();
            center.release(center.as("ann"), change).expect(403);
            // An ended approval and a fresh one of the same person are one person.
            center.approve("carol", change).expect(200);
            center.release(center.as("ann"), change).expect(403);
            center.approve("bob", change).expect(200);
            center.release(center.as("ann"), change).expect(202);
        } finally {
            demand(1);
        }
    }

    @Test
    void aClockThatIsSetBackNeverGivesAnEmergencyMoreTime() {
        center.protect("clock");
        center.as("ann").release(center.open("clock", 50), "\"all\"", BOX).expect(202);
        center.clock().advance(EMERGENCY);
        center.await("the end", () -> limit("clock") == 5);
        center.clock().stepWall(Duration.ofHours(-3));
        Answer again = center.as("ann").release(center.open("clock", 50), "\"all\"", BOX);
        again.expect(403);
        assertThat(again.string("detail")).contains("waits for review");
        assertThat(limit("clock")).isEqualTo(5);
        center.clock().advance(Duration.ofHours(3));
        review("bob", "reject");
    }

    @Test
    void whatAnEmergencyGaveIsNeverProlongedWithoutOne() {
        center.protect("longer");
        String override = "{\"rule\":\"longer\",\"limit\":\"longer.0\",\"caller\":{\"ip\":\"192.0.2.7\"},"
                + "\"numbers\":{\"limit\":5000},\"in\":\"24h\"";
        String shadow = "{\"rule\":\"longer\",\"to\":\"shadow\",\"in\":\"24h\"";
        center.as("olga").post("/api/overrides", override + BOX + "}").expect(201);
        center.as("olga").post("/api/switch", shadow + BOX + "}").expect(201);
        String why = ",\"reason\":\"x\"}";
        for (String who : List.of("olga", "ann", "root")) {
            center.as(who).post("/api/overrides", override + why).expect(403);
            center.as(who).post("/api/switch", shadow + why).expect(403);
        }
        center.clock().advance(EMERGENCY);
        center.await("the end", () -> active("/api/overrides") == 0 && active("/api/switch") == 0);
        for (int i = 0; i < 2; i++) {
            review("bob", "reject");
        }
    }

    @Test
    void anEmergencyIsNotPlannedAhead() {
        center.protect("planned");
        Answer change = center.open("planned", 50);
        Answer planned =
                center.as("ann").release(change, "\"all\"", BOX + ",\"at\":\"" + center.in(Duration.ofHours(1)) + "\"");
        assertThat(planned.status()).as(planned.text()).isIn(400, 403);
        center.clock().advance(Duration.ofHours(1));
        assertThat(limit("planned")).isEqualTo(5);
    }

    @Test
    void aRuleThatAnEmergencyRemovedComesBackAlsoIfItsNameWasTaken() {
        center.protect("taken");
        Answer removal = center.as("ann")
                .post("/api/changes", ApiClient.change(center.version(), "{\"remove\":\"taken\"}"))
                .expect(201);
        center.as("ann").release(removal, "\"all\"", BOX).expect(202);
        // Another rule of that name is not protected, and would stay.
        String harmless =
                "{\"id\":\"taken\",\"resource\":\"/else\",\"limits\":[{\"by\":\"ip\",\"limit\":1000,\"window\":\"1m\"}]}";
        Answer put = center.as("ann")
                .post("/api/changes", ApiClient.change(center.version(), "{\"put\":" + harmless + "}"))
                .expect(201);
        center.release(center.as("ann"), put).expect(403);
        center.clock().advance(EMERGENCY);
        center.await("the end", () -> center.as("root").get("/api/rules/taken").status() == 200);
        assertThat(center.as("root").get("/api/rules/taken").text())
                .contains("/taken")
                .contains("\"protected\":true");
        review("bob", "reject");
    }

    @Test
    void anAcceptanceAtTheLastMomentHoldsAndOneAfterwardsChangesNothing() {
        center.protect("last");
        center.as("ann").release(center.open("last", 50), "\"all\"", BOX).expect(202);
        center.clock().advance(EMERGENCY.minusMillis(1));
        review("bob", "accept");
        center.clock().advance(EMERGENCY);
        assertThat(limit("last")).isEqualTo(50);

        center.as("ann").release(center.open("last", 60), "\"all\"", BOX).expect(202);
        center.clock().advance(EMERGENCY);
        center.await("the end", () -> limit("last") == 50);
        review("bob", "accept");
        assertThat(limit("last")).isEqualTo(50);
    }

    private static void demand(int approvals) {
        long id = center.as("root")
                .post("/api/approval-settings", "{\"approvals\":" + approvals + ",\"reason\":\"x\"}")
                .expect(201)
                .json()
                .at("/proposals/0/id")
                .asLong();
        for (String who : List.of("bob", "carol")) {
            if (!center.as("ann")
                    .get("/api/approval-settings")
                    .expect(200)
                    .get("proposals")
                    .isEmpty()) {
                center.as(who)
                        .post("/api/approval-settings/" + id + "/approve", "{}")
                        .expect(200);
            }
        }
        assertThat(center.as("ann").get("/api/approval-settings").number("approvals"))
                .isEqualTo(approvals);
    }

    private static boolean isReleasable(Answer change) {
        return center.find(change).json().at("/checks/releasable").asBoolean();
    }

    private static long limit(String rule) {
        JsonNode found = center.as("root").get("/api/rules/" + rule).expect(200).json();
        return found.at("/rule/limits/0/limit").asLong();
    }

    private static long active(String path) {
        long count = 0;
        for (JsonNode each : center.as("root").get(path).expect(200).json()) {
            count += each.get("active").asBoolean() ? 1 : 0;
        }
        return count;
    }

    /** Reviews the newest emergency that nobody has reviewed. */
    private static void review(String who, String verdict) {
        for (JsonNode each :
                center.as("root").get("/api/emergencies").expect(200).json()) {
            if (List.of("waiting", "ended").contains(each.get("state").asString())) {
                center.as(who)
                        .post("/api/emergencies/" + each.get("id").asLong() + "/" + verdict, "{\"reason\":\"x\"}")
                        .expect(200);
                return;
            }
        }
        throw new AssertionError("no emergency waits for review");
    }
}
