package io.sluice.center;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.center.ApiClient.Answer;
import io.sluice.center.access.Grant;
import io.sluice.center.access.Role;
import io.sluice.center.audit.AuditHead;
import io.sluice.center.audit.AuditTree;
import io.sluice.center.audit.Segments;
import io.sluice.center.personal.RetentionSettings;
import io.sluice.core.time.ManualClock;
import io.sluice.runtime.fleet.NodeAnswers;
import io.sluice.runtime.fleet.NodeData;
import io.sluice.runtime.fleet.NodeHealth;
import io.sluice.runtime.fleet.NodeIdentity;
import io.sluice.runtime.fleet.NodeReport;
import io.sluice.runtime.fleet.RulesInForce;
import io.sluice.runtime.witness.ConsistencyProof;
import io.sluice.runtime.witness.WitnessReport;
import io.sluice.testkit.Await;
import io.sluice.testkit.QuietClock;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

/** A running center removes old data, and tells people how long it keeps data. */
class RetentionTest {

    private static final Duration SOON = Duration.ofMinutes(5);

    @TempDir
    Path data;

    private final ManualClock clock = QuietClock.at(1_800_000_000_000_000L);
    private Center center;

    @BeforeEach
    void start() throws Exception {
        open();
    }

    @AfterEach
    void stop() {
        center.close();
    }

    private void open() throws Exception {
        center = Center.open(
                PreparedCenter.in(data)
                        .retention(new RetentionSettings(Map.of(RetentionSettings.AUDIT, Duration.ofDays(60)), 3)),
                clock);
    }

    @Test
    void everybodyWhoIsSignedInSeesTheTimesOfThisCenter() {
        ApiClient.of(center).get("/api/retention").expect(403);
        PageClient ann = new PageClient(center).signIn(center, ApiClient.account(center, "ann", Grant.of(Role.VIEWER)));
        Answer kinds = ann.get("/api/retention").expect(200);
        JsonNode audit = kind(kinds, "audit");
        assertThat(audit.get("time").asString()).isEqualTo("P60D");
        assertThat(audit.get("how_long").asString()).isEqualTo("60 days");
        assertThat(audit.get("where").asString()).isEqualTo("center");
        assertThat(audit.get("personal").asBoolean()).isTrue();
        assertThat(kind(kinds, "backups").get("how_long").asString()).isEqualTo("the last 3");
        assertThat(kind(kinds, "backups").get("time").isNull()).isTrue();
        assertThat(kind(kinds, "counts").get("how_long").asString()).isEqualTo("no limits are in force");
        ApiClient.of(center).release("login", 5);
        Await.until("the limit counts", SOON, () -> kind(ann.get("/api/retention"), "counts")
                .get("how_long")
                .asString()
                .contains("after the last request"));
    }

    @Test
    void oldRowsGoWhileTheCenterRunsAndTheLogIsStillGood() throws Exception {
        ApiClient api = ApiClient.of(center);
        for (int i = 0; i < 4; i++) {
            api.release("login", i + 1);
        }
        AuditHead witnessed = center.people().database().read(AuditTree::head);
        witness(witnessed);
        // The wall clock alone, because the nightly backup would be made a hundred times.
        clock.stepWall(Duration.ofDays(100));
        clock.advance(Duration.ofHours(1));
        Await.until("the rows are gone", SOON, () -> end() >= witnessed.number());
        assertThat(api.post("/api/audit/verify", "{}").expect(200).get("good").asBoolean())
                .isTrue();
        // Only the last 200 versions and young changes matter; all of these are needed to go back.
        assertThat(api.get("/api/versions").json()).hasSize(4);

        center.close();
        open();
        api = ApiClient.of(center);
        assertThat(api.release("login", 9)).isEqualTo(5);
        assertThat(api.post("/api/audit/verify", "{}").expect(200).get("good").asBoolean())
                .isTrue();
        AuditHead now = center.people().database().read(AuditTree::head);
        ConsistencyProof proof =
                center.people().database().read(client -> AuditTree.proof(client, witnessed.number(), now.number()));
        assertThat(proof.proves(witnessed.hash(), now.number(), now.hash())).isTrue();
    }

    private long end() {
        return center.people().database().read(Segments::end);
    }

    /** A node reports that it has witnessed the log. */
    private void witness(AuditHead head) {
        String log = center.people().database().read(client -> client.sql("SELECT log FROM audit_head")
                .query(String.class)
                .single());
        WitnessReport witness = new WitnessReport(
                log.isEmpty() ? "0".repeat(32) : log,
                head.number(),
                head.hash(),
                clock.epochMicros() / 1000,
                "0".repeat(16),
                Optional.empty());
        NodeReport report = new NodeReport(
                new NodeIdentity("n1", NodeReport.Kind.NODE, "n1:8080", "test", 1),
                1,
                RulesInForce.of(0, "", 0),
                NodeHealth.of(NodeReport.Mode.REMOTE, NodeReport.Breaker.CLOSED),
                new NodeAnswers(Optional.of(witness), List.of(), List.of(), false, false),
                NodeData.NONE);
        ApiClient.of(center).post("/api/nodes/n1/heartbeat", report.toJson()).expect(200);
    }

    private static JsonNode kind(Answer kinds, String id) {
        for (JsonNode kind : kinds.json()) {
            if (kind.get("id").asString().equals(id)) {
                return kind;
            }
        }
        throw new AssertionError("no kind " + id + ": " + kinds.text());
    }
}
