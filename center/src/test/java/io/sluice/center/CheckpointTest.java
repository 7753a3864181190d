package io.sluice.center;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.center.ApiClient.Answer;
import io.sluice.center.audit.AuditTables;
import io.sluice.core.time.ManualClock;
import io.sluice.rules.redis.RedisFleet;
import io.sluice.runtime.fleet.Fleet;
import io.sluice.runtime.fleet.NodeHealth;
import io.sluice.runtime.fleet.NodeIdentity;
import io.sluice.runtime.fleet.NodeReport;
import io.sluice.runtime.fleet.RulesInForce;
import io.sluice.runtime.witness.Checkpoint;
import io.sluice.runtime.witness.CheckpointOffer;
import io.sluice.runtime.witness.ConsistencyProof;
import io.sluice.runtime.witness.LogKey;
import io.sluice.runtime.witness.TreeHash;
import io.sluice.runtime.witness.WitnessReport;
import io.sluice.testkit.Await;
import io.sluice.testkit.QuietClock;
import io.sluice.testkit.database.MariaDbServer;
import io.sluice.testkit.redis.RedisReply;
import io.sluice.testkit.redis.RedisServer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.jdbc.core.simple.JdbcClient;
import tools.jackson.databind.JsonNode;

/** The center signs its audit log, and nodes witness it. */
class CheckpointTest {

    private static final Duration SOON = Duration.ofMinutes(5);
    private static final long START_MICROS = 1_800_000_000_000_000L;

    @TempDir
    Path data;

    private final ManualClock clock = QuietClock.at(START_MICROS);
    private Center center;
    private ApiClient api;
    private FakeNode node;

    @BeforeEach
    void start() throws Exception {
        open();
    }

    private void open() throws Exception {
        center = Center.open(PreparedCenter.in(data), clock);
        api = ApiClient.of(center);
        node = new FakeNode(api, "n1");
    }

    @AfterEach
    void stop() {
        center.close();
    }

    @Test
    void theKeyIsOutsideOfTheDatabaseAndPrivate() throws Exception {
        CheckpointOffer offer = offered(0);
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(data.resolve("audit-key"))))
                .isEqualTo("rw-------");
        assertThat(publicKey(data)).isEqualTo(offer.key());
        String secret = Files.readString(data.resolve("audit-key"), StandardCharsets.US_ASCII)
                .lines()
                .findFirst()
                .orElseThrow();
        List<String> stored = center.people().database().read(client -> client.sql(
                        "SELECT public_key FROM audit_key UNION SELECT signature FROM audit_key")
                .query(String.class)
                .list());
        assertThat(stored).doesNotContain(secret).contains(offer.key().text());
    }

    @Test
    void everyReleaseIsSignedAtOnce() {
        // The clock stands still.
        for (int i = 1; i <= 3; i++) {
            api.release("login", i);
            CheckpointOffer offer = offered(2L * i);
            assertThat(offer.checkpoint().isBy(offer.key())).isTrue();
            assertThat(offer.checkpoint().root()).isEqualTo(head());
        }
    }

    @Test
    void everyMinuteIsSignedWhateverHappens() {
        api.release("login", 1);
        Checkpoint first = offered(2).checkpoint();
        for (int minute = 1; minute <= 3; minute++) {
            clock.advance(Duration.ofSeconds(59));
            assertThat(offered(2).checkpoint().atMillis()).isLessThan(clock.epochMicros() / 1000);
            clock.advance(Duration.ofSeconds(1));
            long now = clock.epochMicros() / 1000;
            Await.until(
                    "a fresh checkpoint", SOON, () -> offered(2).checkpoint().atMillis() == now);
        }
        assertThat(offered(2).checkpoint().root()).isEqualTo(first.root());
        // What is no release waits for the next minute.
        api.open(1, "other", 5).expect(201);
        clock.advance(Duration.ofMinutes(1));
        assertThat(offered(3).checkpoint().root()).isEqualTo(head());
    }

    @Test
    void aNodeGetsTheProofForWhatItHolds() {
        api.release("login", 1);
        Checkpoint held = offered(2).checkpoint();
        for (int i = 2; i <= 9; i++) {
            api.release("login", i);
            node.witnesses(report(held, Optional.empty()));
            CheckpointOffer offer = offered(2L * i);
            ConsistencyProof proof = offer.proof(held.size()).orElseThrow();
            assertThat(proof.proves(
                            held.root(),
                            offer.checkpoint().size(),
                            offer.checkpoint().root()))
                    .isTrue();
            if (i % 3 == 0) {
                held = offer.checkpoint();
            }
        }
    }

    @Test
    void nodesShowWhatTheyHoldAndTheVerifierCountsThem() throws Exception {
        api.release("login", 1);
        Checkpoint held = offered(2).checkpoint();
        assertThat(api.get("/api/nodes/n1").expect(200).get("audit").isNull()).isTrue();
        node.witnesses(report(held, Optional.empty()));
        Await.until("the center has compared it", SOON, () -> {
            node.runs(1);
            center.step();
            return api.get("/api/nodes/n1")
                    .expect(200)
                    .get("audit")
                    .get("agrees")
                    .asBoolean(false);
        });
        JsonNode audit = api.get("/api/nodes/n1").expect(200).get("audit");
        assertThat(audit.get("size").asLong()).isEqualTo(2);
        assertThat(audit.get("root").asString()).isEqualTo(held.root());
        assertThat(audit.get("key").asString()).isEqualTo(held.key());
        assertThat(problems()).doesNotContain("n1");

        Answer unknown = api.post("/api/audit/verify", "").expect(200);
        assertThat(unknown.get("good").asBoolean()).isTrue();
        assertThat(unknown.get("verified").asBoolean()).isFalse();
        assertThat(unknown.json().at("/witness/until").asLong()).isEqualTo(2);
        String key = "{\"key\":\"" + publicKey(data).text() + "\"}";
        node.runs(1);
        Answer known = api.post("/api/audit/verify", key).expect(200);
        assertThat(known.get("verified").asBoolean()).as(known.text()).isTrue();
        assertThat(known.json().at("/witness/nodes").asInt()).isEqualTo(1);
        api.post("/api/audit/verify", "{\"key\":\"x\"}").expect(400);
        api.post("/api/audit/verify", "{\"keys\":\"x\"}").expect(400);
    }

    /** Everybody who can write to Redis can make up a node. */
    @Test
    void aReportThroughRedisContradictsButDoesNotVerify(@TempDir Path other) throws Exception {
        try (RedisServer redis = RedisServer.start();
                Center own = Center.open(PreparedCenter.in(other).redis(redis.uri()));
                RedisFleet line = RedisFleet.at(redis.uri())) {
            ApiClient client = ApiClient.of(own);
            client.release("login", 1);
            Checkpoint held = offered(new FakeNode(client, "n1"), 2).checkpoint();
            String key = "{\"key\":\"" + publicKey(other).text() + "\"}";
            AtomicLong beat = new AtomicLong();
            Await.until("the center has the report", SOON, () -> {
                exchange(line, beat.incrementAndGet(), report(held, Optional.empty()));
                return client.get("/api/nodes/n2").status() == 200;
            });
            Answer agreed = client.post("/api/audit/verify", key).expect(200);
            assertThat(agreed.get("good").asBoolean()).as(agreed.text()).isTrue();
            assertThat(agreed.get("verified").asBoolean()).isFalse();
            assertThat(agreed.json().at("/witness/until").asLong()).isZero();
            Await.until("it contradicts", SOON, () -> {
                exchange(line, beat.incrementAndGet(), report(held, Optional.of("forked")));
                return client.post("/api/audit/verify", key)
                        .expect(200)
                        .json()
                        .at("/witness/contradictions")
                        .toString()
                        .contains("node n2 refuses this log: forked");
            });
        }
    }

    private static void exchange(RedisFleet line, long beat, WitnessReport held) {
        NodeReport report = new NodeReport(
                new NodeIdentity("n2", NodeReport.Kind.NODE, "n2:8080", "test", 1),
                beat,
                RulesInForce.of(0, "", 0),
                NodeHealth.of(NodeReport.Mode.REMOTE, NodeReport.Breaker.CLOSED));
        Optional<String> unused = line.exchange(
                "n2", report.answering(all -> all.with(Optional.of(held))).toJson());
    }

    @Test
    void nodesThatHoldAnotherHistoryAreNamed() {
        api.release("login", 1);
        Checkpoint held = offered(2).checkpoint();
        node.witnesses(new WitnessReport(held.log(), 2, "a".repeat(64), 1, held.key(), Optional.empty()));
        awaitProblem("node n1 witnessed another history: row 2");
        assertThat(api.get("/api/nodes/n1").get("audit").get("agrees").asBoolean())
                .isFalse();
        node.witnesses(new WitnessReport(held.log(), 99, "a".repeat(64), 1, held.key(), Optional.empty()));
        awaitProblem("node n1 witnessed 99 rows of the audit log, which has 2");
        node.witnesses(new WitnessReport("b".repeat(32), 2, held.root(), 1, held.key(), Optional.empty()));
        awaitProblem("node n1 witnessed another log");
        node.witnesses(report(held, Optional.of("forked")));
        awaitProblem("node n1 refuses the audit log: forked");
        node.witnesses(report(held, Optional.empty()));
        Await.until("no problem", SOON, () -> {
            // The retention may have met the disagreement. It looks again after some seconds.
            clock.advance(Duration.ofSeconds(10));
            node.runs(1);
            center.step();
            return !problems().contains("n1");
        });
    }

    @Test
    void aShorterLogIsOfferedSoThatNodesRefuseIt() {
        for (int i = 1; i <= 3; i++) {
            api.release("login", i);
        }
        node.witnesses(report(offered(6).checkpoint(), Optional.empty()));
        center.people().database().write(client -> {
            client.sql("DELETE FROM command").update();
            client.sql("DELETE FROM audit_node").update();
            client.sql("DELETE FROM audit_checkpoint").update();
            client.sql("UPDATE counter SET value = 0 WHERE name = 'command'").update();
            return client.sql("UPDATE audit_head SET number = 0, frontier = '', hash = ?")
                    .param(TreeHash.EMPTY)
                    .update();
        });
        assertThat(offered(0).proofs()).isEmpty();
        awaitProblem("node n1 witnessed 6 rows of the audit log, which has 0");
    }

    @Test
    void aRewrittenLogIsOfferedWithAProofThatFails() {
        for (int i = 1; i <= 3; i++) {
            api.release("login", i);
        }
        Checkpoint held = offered(6).checkpoint();
        node.witnesses(report(held, Optional.empty()));
        center.people().database().write(client -> {
            client.sql("UPDATE command SET actor = 'user:somebody' WHERE number = 5")
                    .update();
            client.sql("UPDATE command SET hash = ''").update();
            client.sql("DELETE FROM audit_node").update();
            client.sql("DELETE FROM audit_checkpoint").update();
            client.sql("UPDATE audit_head SET number = 0, frontier = ''").update();
            rebuildTree(client);
            return true;
        });
        api.release("login", 9);
        CheckpointOffer offer = offered(8);
        assertThat(offer.checkpoint().isBy(offer.key())).isTrue();
        assertThat(offer.proof(6)
                        .orElseThrow()
                        .proves(held.root(), 8, offer.checkpoint().root()))
                .isFalse();
        awaitProblem("node n1 witnessed another history: row 6");
        awaitProblem("no longer has row 6");
    }

    @Test
    void aReplacedDatabaseIsNoticedThoughTheKeyIsRight() throws Exception {
        api.release("login", 1);
        CheckpointOffer held = offered(2);
        Await.until(
                "the newest row is remembered",
                SOON,
                () -> api.post("/api/audit/verify", "").number("remembered") == 2);
        center.close();
        try (Stream<Path> files = Files.list(data)) {
            for (Path file : files.filter(path -> path.getFileName().toString().startsWith("center.db"))
                    .toList()) {
                Files.delete(file);
            }
        }
        open();
        api.release("login", 1);
        api.release("login", 2);
        node.witnesses(report(held.checkpoint(), Optional.empty()));
        CheckpointOffer offer = offered(4);
        assertThat(offer.key()).isEqualTo(held.key());
        assertThat(offer.checkpoint().log()).isNotEqualTo(held.checkpoint().log());
        awaitProblem("node n1 witnessed another log");
        awaitProblem("no longer has row 2");
        Answer answer = api.post("/api/audit/verify", "{\"key\":\"" + held.key().text() + "\"}")
                .expect(200);
        assertThat(answer.get("good").asBoolean()).isFalse();
        assertThat(answer.get("verified").asBoolean()).isFalse();
        assertThat(answer.number("first_bad")).isEqualTo(2);
        assertThat(answer.json().at("/witness/contradictions").toString()).contains("another log");
    }

    @Test
    void aRotatedKeyIsSignedByTheOneBeforeAndUsedByTheRunningCenter() throws Exception {
        api.release("login", 1);
        CheckpointOffer before = offered(2);
        node.witnesses(report(before.checkpoint(), Optional.empty()));
        LogKey next = new LogKey(new CenterMaintenance(PreparedCenter.in(data))
                .rotateAuditKey(false)
                .text());
        CheckpointOffer after = offered(3);
        assertThat(after.key()).isEqualTo(next).isEqualTo(publicKey(data));
        assertThat(after.checkpoint().isBy(next)).isTrue();
        assertThat(after.changes()).singleElement().satisfies(change -> {
            assertThat(change.isBy(before.key())).isTrue();
            assertThat(change.next()).isEqualTo(next);
        });
        assertThat(api.get("/api/commands").expect(200).text()).contains("rotate_audit_key");
        node.witnesses(new WitnessReport(
                after.checkpoint().log(), 3, after.checkpoint().root(), 1, next.id(), Optional.empty()));
        assertThat(offered(3).changes()).isEmpty();
        for (LogKey key : List.of(before.key(), next)) {
            Answer answer = api.post("/api/audit/verify", "{\"key\":\"" + key.text() + "\"}")
                    .expect(200);
            assertThat(answer.get("verified").asBoolean()).as(answer.text()).isTrue();
        }
    }

    @Test
    void aRotationThatWasInterruptedIsFinished() throws Exception {
        LogKey before = offered(0).key();
        byte[] old = Files.readAllBytes(data.resolve("audit-key"));
        new CenterMaintenance(PreparedCenter.in(data)).rotateAuditKey(false);
        LogKey next = offered(1).key();
        center.close();
        Path waiting = Files.move(data.resolve("audit-key"), data.resolve("audit-key.next-" + next.id()));
        Files.write(data.resolve("audit-key"), old);
        open();
        clock.advance(Duration.ofMinutes(2));
        long now = clock.epochMicros() / 1000;
        Await.until("it signs", SOON, () -> offered(1).checkpoint().atMillis() == now);
        assertThat(offered(1).key()).isEqualTo(next).isNotEqualTo(before);
        assertThat(waiting).doesNotExist();
    }

    @Test
    void withoutItsKeyTheCenterSignsNothingAndSaysSo() throws Exception {
        api.release("login", 1);
        CheckpointOffer signed = offered(2);
        center.close();
        byte[] key = Files.readAllBytes(data.resolve("audit-key"));
        Files.delete(data.resolve("audit-key"));
        open();
        awaitProblem("this center signs no checkpoints of the audit log");
        assertThat(problems())
                .contains("audit-key: missing")
                .contains(signed.key().id());
        assertThatThrownBy(() -> new CenterMaintenance(PreparedCenter.in(data)).rotateAuditKey(false))
                .isInstanceOf(MaintenanceFailedException.class)
                .hasMessageContaining("audit-key: missing");
        Files.writeString(data.resolve("audit-key"), "x\ny\n");
        awaitProblem("audit-key: not a key");
        api.release("login", 2);
        assertThat(offered(2).checkpoint()).isEqualTo(signed.checkpoint());
        Files.write(data.resolve("audit-key"), key);
        assertThatThrownBy(() -> new CenterMaintenance(PreparedCenter.in(data)).rotateAuditKey(true))
                .isInstanceOf(MaintenanceFailedException.class)
                .hasMessageContaining("without --lost");
        assertThat(offered(4).key()).isEqualTo(signed.key());
        assertThat(problems()).doesNotContain("signs no checkpoints");
    }

    @Test
    void damagedTablesAreToldAndTheCenterGoesOn() {
        api.release("login", 1);
        assertThat(offered(2).proofs()).isEmpty();
        int changed = center.people().database().write(client -> client.sql("UPDATE audit_checkpoint SET root = 'x'")
                .update());
        assertThat(changed).isPositive();
        awaitProblem("the keys or checkpoints of the audit log are damaged: root: malformed");
        assertThat(api.get("/health").status()).isEqualTo(200);
        api.release("login", 2);
        changed = center.people().database().write(client -> client.sql("DELETE FROM audit_checkpoint")
                .update());
        assertThat(changed).isPositive();
        assertThat(offered(4).checkpoint().root()).isEqualTo(head());
        Await.until("all is well", SOON, () -> !problems().contains("damaged"));
    }

    @Test
    void aLostKeyIsReplacedWithoutItsSignature() throws Exception {
        LogKey before = offered(0).key();
        center.close();
        Files.delete(data.resolve("audit-key"));
        open();
        LogKey next = new LogKey(new CenterMaintenance(PreparedCenter.in(data))
                .rotateAuditKey(true)
                .text());
        CheckpointOffer offer = offered(1);
        assertThat(offer.key()).isEqualTo(next).isNotEqualTo(before);
        assertThat(offer.changes()).isEmpty();
    }

    @Test
    void ofTwoCentersOnlyTheOneWithTheKeySigns() throws Exception {
        String db = MariaDbServer.shared().database();
        CenterSettings settings = CenterSettings.embedded(data.resolve("a")).db(db);
        try (Center first = Center.open(settings)) {
            CheckpointOffer offer = offered(new FakeNode(ApiClient.of(first), "n1"), 0);
            try (Center second =
                    Center.open(CenterSettings.embedded(data.resolve("b")).db(db))) {
                assertThat(data.resolve("b").resolve("audit-key")).doesNotExist();
                FakeNode other = new FakeNode(ApiClient.of(second), "n2");
                // The second has no key, but serves what the first has signed.
                assertThat(offered(other, 0).key()).isEqualTo(offer.key());
                Await.until(
                        "it says so",
                        SOON,
                        () -> ApiClient.of(second).get("/api/status").text().contains("signs no checkpoints"));
                assertThat(ApiClient.of(first).get("/api/status").text()).doesNotContain("signs no checkpoints");
                first.close();
                Await.until("the second leads", SOON, () -> ApiClient.of(second)
                        .get("/api/status")
                        .get("leader")
                        .asBoolean());
                ApiClient.of(second).release("login", 1);
                assertThat(offered(other, 0).checkpoint().size()).isZero();
                Files.copy(
                        data.resolve("a").resolve("audit-key"),
                        data.resolve("b").resolve("audit-key"));
                assertThat(offered(other, 2).key()).isEqualTo(offer.key());
            }
        }
    }

    @Test
    void nodesOnRedisGetTheProofsTogether() throws Exception {
        RedisServer redis = RedisServer.shared();
        center.close();
        center = Center.open(PreparedCenter.in(data).redis(redis.uri()));
        api = ApiClient.of(center);
        api.release("login", 1);
        Await.until("the board shows it", SOON, () -> board(redis)
                .filter(offer -> offer.checkpoint().size() == 2)
                .isPresent());
        Checkpoint held = board(redis).orElseThrow().checkpoint();
        api.release("login", 2);
        Await.until("the board proves it", SOON, () -> board(redis)
                .filter(offer -> offer.proof(2)
                        .filter(proof -> proof.proves(
                                held.root(),
                                offer.checkpoint().size(),
                                offer.checkpoint().root()))
                        .isPresent())
                .filter(offer -> offer.checkpoint().size() == 4)
                .isPresent());
    }

    private static Optional<CheckpointOffer> board(RedisServer redis) {
        return redis.command("GET", "rate_limit_fleet") instanceof RedisReply.Text reply
                ? Fleet.parse(reply.text()).audit()
                : Optional.empty();
    }

    /** Waits until a checkpoint of this size is offered. */
    private CheckpointOffer offered(long size) {
        return offered(node, size);
    }

    private static CheckpointOffer offered(FakeNode to, long size) {
        CheckpointOffer[] last = new CheckpointOffer[1];
        Await.until("a checkpoint of " + size + " rows", SOON, () -> {
            Optional<CheckpointOffer> offer = to.runs(0).audit();
            offer.ifPresent(now -> last[0] = now);
            return offer.filter(now -> now.checkpoint().size() == size).isPresent();
        });
        return last[0];
    }

    private void awaitProblem(String text) {
        Await.until(text, SOON, () -> {
            node.runs(0);
            center.step();
            return problems().contains(text);
        });
    }

    private String problems() {
        return api.get("/api/status").expect(200).get("problems").toString();
    }

    private String head() {
        return api.post("/api/audit/verify", "").expect(200).string("head");
    }

    private static LogKey publicKey(Path data) throws Exception {
        return new LogKey(Files.readString(data.resolve("audit-key.pub")).strip());
    }

    private static WitnessReport report(Checkpoint held, Optional<String> refused) {
        return new WitnessReport(held.log(), held.size(), held.root(), held.atMillis(), held.key(), refused);
    }

    /** Builds the tree anew, as before the log had an id. */
    private void rebuildTree(JdbcClient client) {
        String id = AuditTables.log(client);
        client.sql("UPDATE audit_head SET log = ''").update();
        center.people().log().addOldRows(client);
        client.sql("UPDATE audit_head SET log = ?").param(id).update();
    }
}
