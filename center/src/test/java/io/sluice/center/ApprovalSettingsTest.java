package io.sluice.center;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.center.ApiClient.Answer;
import io.sluice.center.access.Grant;
import io.sluice.center.access.Role;
import io.sluice.center.access.Scope;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

/** The settings for approvals are protected by what they set. */
class ApprovalSettingsTest {

    @TempDir
    Path data;

    private SecondPerson center;

    @BeforeEach
    void start() throws Exception {
        center = SecondPerson.in(data);
    }

    @AfterEach
    void stop() {
        center.close();
    }

    @Test
    void settingsNeverChangeWithoutASecondPerson() {
        center.add("root2", "root@example.com", Grant.of(Role.ADMINISTRATOR));
        for (String wrong : List.of(
                "{\"approvals\":0,\"reason\":\"x\"}",
                "{\"approvals\":6,\"reason\":\"x\"}",
                "{\"expires\":\"1m\",\"reason\":\"x\"}",
                "{\"emergency\":\"25h\",\"reason\":\"x\"}",
                "{\"raise\":0.5,\"reason\":\"x\"}",
                "{\"raise\":1e99,\"reason\":\"x\"}",
                "{\"raise\":\"2\",\"reason\":\"x\"}",
                "{\"expires\":\"1d\"}")) {
            center.as("root").post("/api/approval-settings", wrong).expect(400);
        }
        center.as("root").post("/api/approval-settings", "{\"reason\":\"x\"}").expect(409);
        for (String who : List.of("ann", "bob", "olga")) {
            center.as(who)
                    .post("/api/approval-settings", "{\"raise\":10,\"reason\":\"x\"}")
                    .expect(403);
        }
        long id = propose("\"raise\":10,\"expires\":\"90d\"");
        assertThat(settings().get("raise").asDouble()).isEqualTo(2);
        for (String who : List.of("root", "root2", "ann")) {
            approve(who, id).expect(403);
        }
        center.machine().post("/api/approval-settings/" + id + "/approve", "{}").expect(403);
        center.tokenOf("bob", Scope.values())
                .post("/api/approval-settings/" + id + "/approve", "{}")
                .expect(403);
        assertThat(settings().get("revision").asLong()).isZero();
        assertThat(center.as("bob")
                        .get("/api/notices")
                        .json()
                        .get(0)
                        .get("kind")
                        .asString())
                .isEqualTo("approval_settings");
        long stale = propose("\"raise\":3");
        approve("bob", id).expect(200);
        assertThat(settings().get("raise").asDouble()).isEqualTo(10);
        assertThat(settings().get("expires").asString()).isEqualTo("90d");
        approve("carol", id).expect(409);
        // A proposal on older settings is void.
        approve("bob", stale).expect(409);
        center.as("bob")
                .post("/api/approval-settings/" + stale + "/reject", "{\"reason\":\"x\"}")
                .expect(200);
        assertThat(settings().get("proposals")).isEmpty();
        assertThat(settings().get("raise").asDouble()).isEqualTo(10);
    }

    @Test
    void theSettingsInForceAtTheReleaseDecide() {
        center.protect("login");
        Answer change = center.open("login", 50);
        center.approve("bob", change).expect(200);
        approve("bob", propose("\"approvals\":2")).expect(200);
        center.release(center.as("ann"), change).expect(403);
        // The same person twice is one person, also through a second account.
        center.approve("bob", change).expect(200);
        center.add("bob2", "bob@example.com", Grant.of(Role.APPROVER));
        center.approve("bob2", change).expect(200);
        center.release(center.as("ann"), change).expect(403);
        // To lower the number takes as many persons as it demands.
        long id = propose("\"approvals\":1");
        approve("bob", id).expect(200);
        approve("bob2", id).expect(200);
        assertThat(settings().get("approvals").asLong()).isEqualTo(2);
        center.approve("carol", change).expect(200);
        center.release(center.as("ann"), change).expect(202);
        // An emergency is accepted by as many.
        center.as("ann")
                .release(center.open("login", 60), "\"all\"", ",\"emergency\":true,\"reason\":\"x\"")
                .expect(202);
        String accept = "/api/emergencies/1/accept";
        assertThat(center.as("bob")
                        .post(accept, "{\"reason\":\"x\"}")
                        .expect(200)
                        .string("state"))
                .isEqualTo("waiting");
        assertThat(center.as("bob2")
                        .post(accept, "{\"reason\":\"x\"}")
                        .expect(200)
                        .string("state"))
                .isEqualTo("waiting");
        assertThat(center.as("carol")
                        .post(accept, "{\"reason\":\"x\"}")
                        .expect(200)
                        .string("state"))
                .isEqualTo("accepted");
        approve("carol", id).expect(200);
        assertThat(settings().get("approvals").asLong()).isEqualTo(1);
    }

    @Test
    void aShorterExpiryVoidsApprovalsThatWereGiven() {
        Answer change = center.open("short", 5);
        center.approve("bob", change).expect(200);
        center.clock().advance(Duration.ofHours(2));
        approve("bob", propose("\"expires\":\"1h\"")).expect(200);
        center.release(center.as("ann"), change).expect(403);
    }

    @Test
    void cannotDemandMorePersonsThanThereAre() {
        long id = propose("\"approvals\":5");
        assertThat(approve("bob", id).expect(409).string("detail")).contains("only 3 persons");
    }

    private long propose(String fields) {
        return center.as("root")
                .post("/api/approval-settings", "{" + fields + ",\"reason\":\"x\"}")
                .expect(201)
                .json()
                .at("/proposals/0/id")
                .asLong();
    }

    private Answer approve(String who, long id) {
        return center.as(who).post("/api/approval-settings/" + id + "/approve", "{}");
    }

    private JsonNode settings() {
        return center.as("ann").get("/api/approval-settings").expect(200).json();
    }
}
