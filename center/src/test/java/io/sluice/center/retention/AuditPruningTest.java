package io.sluice.center.retention;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.sluice.center.audit.AuditHead;
import io.sluice.center.audit.AuditMemory;
import io.sluice.center.audit.AuditReport;
import io.sluice.center.audit.AuditRow;
import io.sluice.center.audit.AuditSegment;
import io.sluice.center.audit.AuditTables;
import io.sluice.center.audit.AuditTree;
import io.sluice.center.audit.LoggedRow;
import io.sluice.center.audit.Segments;
import io.sluice.center.checkpoint.AuditKeys;
import io.sluice.center.command.Actor;
import io.sluice.center.command.Command;
import io.sluice.center.command.CommandEntry;
import io.sluice.center.command.CommandLog;
import io.sluice.center.database.Database;
import io.sluice.center.personal.RetentionSettings;
import io.sluice.core.time.ManualClock;
import io.sluice.rules.snapshot.RuleSet;
import io.sluice.runtime.witness.ConsistencyProof;
import io.sluice.runtime.witness.TreeHash;
import io.sluice.runtime.witness.WitnessReport;
import io.sluice.testkit.QuietClock;
import io.sluice.testkit.SeededRandom;
import io.sluice.testkit.database.MariaDbServer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.jdbc.core.simple.JdbcClient;

/** Old rows of the audit log go, and the log can still be verified. */
class AuditPruningTest {

    private static final Duration RETENTION = Duration.ofDays(730);
    private static final String LOG = "0".repeat(32);
    private static final String KEY = "0".repeat(16);

    @TempDir
    Path data;

    private final ManualClock clock = QuietClock.at(1_800_000_000_000_000L);
    private final CommandLog log = new CommandLog(clock);
    private final Map<String, WitnessReport> witnesses = new HashMap<>();
    private Optional<String> fault = Optional.empty();
    private Database database;
    private AuditKeys keys;

    @BeforeEach
    void open() throws Exception {
        database = Database.open("", data);
        beginKeys();
    }

    private void beginKeys() {
        keys = new AuditKeys(database, data, clock);
        keys.begin();
    }

    @AfterEach
    void close() {
        database.close();
    }

    @Test
    void deletesRowsAfterYearsAndTheLogStaysGood() {
        write(20);
        clock.advance(Duration.ofDays(365));
        write(5);
        witness("n1", 25);
        assertThat(pruning().prune()).isZero();
        clock.advance(Duration.ofDays(367));

        assertThat(pruning().prune()).isEqualTo(20);
        assertThat(pruning().prune()).isZero();

        assertThat(numbers()).containsExactly(21L, 22L, 23L, 24L, 25L, 26L);
        List<AuditSegment> segments = database.read(AuditTables::segments);
        assertThat(segments).hasSize(1);
        assertThat(segments.get(0).first()).isEqualTo(1);
        assertThat(segments.get(0).last()).isEqualTo(20);
        assertThat(segments.get(0).root())
                .isEqualTo(database.read(client -> AuditTree.root(client, 20)).orElseThrow());
        CommandEntry told = newest();
        assertThat(told.kind()).isEqualTo("prune_audit");
        assertThat(told.body().get("first").asLong()).isEqualTo(1);
        assertThat(told.body().get("last").asLong()).isEqualTo(20);
        assertThat(told.body().get("root").asString()).isEqualTo(segments.get(0).root());
        assertThat(told.body().get("witnessed").asBoolean()).isTrue();
        assertGood();
    }

    @Test
    void segmentsFollowEachOther() {
        for (int i = 0; i < 4; i++) {
            write(3);
            clock.advance(Duration.ofDays(300));
            witness("n1", head().number());
            while (pruning().prune() > 0) {
                assertGood();
            }
        }
        clock.advance(Duration.ofDays(2_000));
        witness("n1", head().number());
        assertThat(pruning().prune()).isPositive();
        long next = 1;
        for (AuditSegment segment : database.read(AuditTables::segments)) {
            assertThat(segment.first()).isEqualTo(next);
            next = segment.last() + 1;
        }
        assertThat(numbers().get(0)).isEqualTo(next);
        assertGood();
    }

    @Test
    void aNodeThatHoldsACheckpointInsideAPrunedSegmentStillGetsAProof() {
        write(30);
        List<String> roots = new ArrayList<>();
        for (long size = 0; size <= 30; size++) {
            long wanted = size;
            roots.add(database.read(client -> AuditTree.root(client, wanted)).orElseThrow());
        }
        witness("n1", 30);
        clock.advance(Duration.ofDays(1_000));
        assertThat(pruning().prune()).isEqualTo(30);
        write(7);
        AuditHead head = head();
        for (int size = 0; size <= 30; size++) {
            long from = size;
            ConsistencyProof proof = database.read(client -> AuditTree.proof(client, from, head.number()));
            assertThat(proof.proves(roots.get(size), head.number(), head.hash()))
                    .as("from %s", size)
                    .isTrue();
        }
        assertGood();
    }

    @Test
    void rowsThatNoNodeHasWitnessedStay() {
        write(20);
        witness("n1", 12);
        clock.advance(Duration.ofDays(1_000));
        assertThat(pruning().prune()).isEqualTo(12);
        assertThat(pruning().prune()).isZero();
        assertThat(numbers().get(0)).isEqualTo(13);
    }

    @Test
    void whatANodeHasWitnessedIsRememberedAfterTheNodeIsGone() {
        write(20);
        witness("n1", 12);
        assertThat(pruning().prune()).isZero();
        witnesses.clear();
        checkpoint(20);
        clock.advance(Duration.ofDays(1_000));
        assertThat(pruning().prune()).isEqualTo(12);
        assertThat(pruning().prune()).isZero();
        assertThat(newest().body().get("witnessed").asBoolean()).isTrue();
    }

    @Test
    void withoutAnyWitnessTheOwnCheckpointCountsAndTheLogSaysSo() {
        write(20);
        clock.advance(Duration.ofDays(1_000));
        assertThat(pruning().prune()).isZero();
        checkpoint(15);
        assertThat(pruning().prune()).isEqualTo(15);
        assertThat(newest().body().get("witnessed").asBoolean()).isFalse();
        assertGood();
    }

    @Test
    void nothingIsDeletedWhileANodeWitnessesAnotherHistory() {
        write(20);
        witness("n1", 20);
        witnesses.put("n2", new WitnessReport(LOG, 5, "a".repeat(64), 0, KEY, Optional.empty()));
        clock.advance(Duration.ofDays(1_000));
        AuditPruning pruning = pruning();
        assertThat(pruning.prune()).isZero();
        assertThat(pruning.problem().orElseThrow()).contains("node n2 witnessed another history");
        witnesses.remove("n2");
        assertThat(pruning.prune()).isEqualTo(20);
        assertThat(pruning.problem()).isEmpty();
    }

    @Test
    void nothingIsDeletedWhileANodeRefusesOrKnowsMoreRows() {
        write(20);
        clock.advance(Duration.ofDays(1_000));
        String root = head().hash();
        witnesses.put("n1", new WitnessReport(LOG, 20, root, 0, KEY, Optional.of("shorter")));
        assertThat(pruning().prune()).isZero();
        witnesses.put("n1", new WitnessReport(LOG, 21, root, 0, KEY, Optional.empty()));
        assertThat(pruning().prune()).isZero();
        witnesses.put("n1", new WitnessReport(LOG, 20, root, 0, KEY, Optional.empty()));
        assertThat(pruning().prune()).isEqualTo(20);
    }

    @Test
    void nothingIsDeletedWhileThisMachineRemembersAnotherHistory() {
        write(20);
        witness("n1", 20);
        clock.advance(Duration.ofDays(1_000));
        fault = Optional.of("the audit log no longer has row 19 as this machine remembers it");
        AuditPruning pruning = pruning();
        assertThat(pruning.prune()).isZero();
        assertThat(pruning.problem().orElseThrow()).contains("are kept: the audit log no longer has row 19");
        fault = Optional.empty();
        assertThat(pruning.prune()).isEqualTo(20);
    }

    @Test
    void pruningNeverHidesARowThatWasChangedOrRemoved() {
        write(20);
        witness("n1", 20);
        clock.advance(Duration.ofDays(1_000));
        AuditPruning pruning = pruning();
        sql("UPDATE command SET actor = 'user:other' WHERE number = 7");
        assertThat(pruning.prune()).isZero();
        assertThat(pruning.problem().orElseThrow()).contains("row 7 is missing or was changed");
        sql("UPDATE command SET actor = 'center' WHERE number = 7");
        sql("UPDATE command SET body = '{}' WHERE number = 8");
        assertThat(pruning.prune()).isZero();
        assertThat(pruning.problem().orElseThrow()).contains("row 8");
        sql("DELETE FROM command WHERE number = 8");
        assertThat(pruning.prune()).isZero();
        assertThat(pruning.problem().orElseThrow()).contains("row 8");
        assertThat(numbers()).hasSize(19);
        assertThat(database.read(AuditTables::segments)).isEmpty();
    }

    @Test
    void aPruningIsSignedWithTheKeyOfTheLog() throws Exception {
        write(20);
        clock.advance(Duration.ofDays(1_000));
        witness("n1", 20);
        assertThat(pruning().prune()).isEqualTo(20);
        assertThat(newest().body().get("key").asString()).hasSize(16);
        assertThat(verify().good()).isTrue();
    }

    @Test
    void rowsThatAreDeletedInTheDatabaseAreMissedThoughARowSaysThatTheyWerePruned() throws Exception {
        write(20);
        AuditSegment forged = database.write(client -> {
            AuditSegment segment = Segments.close(client, 12, 5);
            Map<String, Object> body = Map.of(
                    "first", 1, "last", 12, "root", segment.root(), "witnessed", true, "key", "0", "signature", "AA==");
            long unused = log.add(client, Actor.CENTER, new Command.Act("prune_audit", "", body));
            return segment;
        });
        assertThat(forged.last()).isEqualTo(12);
        AuditReport report = verify();
        assertThat(report.good()).isFalse();
        assertThat(report.problem().orElseThrow()).contains("rows 1..12 are gone");
    }

    @Test
    void nothingIsDeletedWithoutTheKeyOfTheLog() throws Exception {
        write(20);
        clock.advance(Duration.ofDays(1_000));
        witness("n1", 20);
        Path moved = Files.move(data.resolve("audit-key"), data.resolve("elsewhere"));
        AuditPruning pruning = pruning();
        assertThat(pruning.prune()).isZero();
        assertThat(pruning.problem().orElseThrow())
                .contains("are kept: only its key")
                .contains("audit-key: missing");
        assertThat(numbers()).hasSize(20);
        Files.move(moved, data.resolve("audit-key"));
        assertThat(pruning.prune()).isEqualTo(20);
        assertThat(pruning.problem()).isEmpty();
    }

    private AuditReport verify() throws Exception {
        return new AuditMemory(database, data, clock).verify(Optional.empty(), Map.of());
    }

    @Test
    void erasedRowsCountAsRows() {
        write(20);
        witness("n1", 20);
        sql("UPDATE command SET salt = '', origin = '', reason = '', body = '', erased_by = 20 WHERE number = 3");
        clock.advance(Duration.ofDays(1_000));
        assertThat(pruning().prune()).isEqualTo(20);
        assertGood();
    }

    @Test
    void rowsOfOneDayGoTogether() {
        for (int i = 0; i < 24; i++) {
            write(1);
            clock.advance(Duration.ofHours(1));
        }
        witness("n1", 24);
        clock.advance(RETENTION.minusHours(1));
        long segments = 0;
        for (int i = 0; i < 60; i++) {
            segments += pruning().prune() > 0 ? 1 : 0;
            clock.advance(Duration.ofHours(1));
        }
        assertThat(segments).isEqualTo(1);
        assertThat(numbers()).containsExactly(25L);
    }

    @Test
    void aWrongClockOfOneRowKeepsTheRowsAfterIt() {
        write(5);
        clock.stepWall(Duration.ofDays(900));
        write(1);
        clock.stepWall(Duration.ofDays(-900));
        write(5);
        witness("n1", 11);
        clock.advance(Duration.ofDays(800));
        assertThat(pruning().prune()).isEqualTo(5);
        assertThat(pruning().prune()).isZero();
        assertThat(numbers().get(0)).isEqualTo(6);
    }

    @Test
    void manyRowsGoInBoundedTransactionsAlsoAfterARestartInTheMiddle() throws Exception {
        int rows = SeededRandom.scaled(20_000, 100_000);
        fill(rows);
        witness("n1", rows);
        clock.advance(Duration.ofDays(1_000));
        long transactions = 0;
        long deleted = 0;
        for (long some = pruning().prune(); some > 0; some = pruning().prune()) {
            assertThat(some).isLessThanOrEqualTo(AuditPruning.AT_ONCE);
            transactions++;
            deleted += some;
            if (transactions == rows / AuditPruning.AT_ONCE * 2 / 5) {
                database.close();
                database = Database.open("", data);
            }
        }
        assertThat(deleted).isEqualTo(rows);
        assertThat(transactions).isEqualTo(rows / AuditPruning.AT_ONCE);
        assertThat(numbers()).hasSize((int) transactions);
        assertGood();
    }

    @Test
    void aTransactionThatIsRolledBackInTheMiddleChangesNothing() {
        write(20);
        witness("n1", 20);
        clock.advance(Duration.ofDays(1_000));
        sql("CREATE TRIGGER refuse BEFORE INSERT ON command BEGIN SELECT RAISE(ABORT, 'refused'); END");
        assertThat(catchThrowable(() -> pruning().prune())).isNotNull();
        assertThat(numbers()).hasSize(20);
        assertThat(database.read(AuditTables::segments)).isEmpty();
        sql("DROP TRIGGER refuse");
        assertThat(pruning().prune()).isEqualTo(20);
        assertGood();
    }

    @Test
    void twoLeadersDeleteEachRowOnce() throws Exception {
        String db = MariaDbServer.shared().database();
        database.close();
        database = Database.open(db, data);
        beginKeys();
        fill(4_500);
        witness("n1", 4_500);
        clock.advance(Duration.ofDays(1_000));
        try (Database other = Database.open(db, data)) {
            List<Callable<Long>> leaders = List.of(() -> all(database), () -> all(other), () -> all(other));
            ExecutorService threads = Executors.newFixedThreadPool(leaders.size());
            long deleted = 0;
            try {
                for (Future<Long> leader : threads.invokeAll(leaders)) {
                    deleted += leader.get();
                }
            } finally {
                threads.shutdownNow();
            }
            assertThat(deleted).isEqualTo(4_500);
        }
        assertThat(database.read(AuditTables::segments).stream().map(AuditSegment::first))
                .containsExactly(1L, 1_001L, 2_001L, 3_001L, 4_001L);
        assertGood();
    }

    private long all(Database of) {
        long deleted = 0;
        AuditPruning pruning = new AuditPruning(of, log, clock, RETENTION, keys, () -> witnesses, () -> fault);
        for (long some = pruning.prune(); some > 0; some = pruning.prune()) {
            deleted += some;
        }
        return deleted;
    }

    @Test
    void aRoundBeginsEveryHourAndOnlyTheLeaderWorks() {
        write(20);
        witness("n1", 20);
        Retention retention = new Retention(
                database,
                log,
                clock,
                RetentionSettings.DEFAULT,
                List.of(),
                keys,
                () -> witnesses,
                () -> fault,
                RuleSet::none);
        turns(retention, true);
        clock.advance(Duration.ofDays(1_000));
        turns(retention, false);
        assertThat(numbers()).hasSize(20);
        turns(retention, true);
        assertThat(numbers()).containsExactly(21L);
        witness("n1", 21);
        clock.advance(Duration.ofDays(1_000).minusMinutes(1));
        turns(retention, true);
        assertThat(numbers()).containsExactly(22L);
        clock.advance(Duration.ofMinutes(59));
        write(1);
        turns(retention, true);
        assertThat(numbers()).containsExactly(22L, 23L);
    }

    @Test
    void aProblemThatHasEndedIsNotToldForAnHour() {
        write(20);
        witnesses.put("n1", new WitnessReport(LOG, 5, "a".repeat(64), 0, KEY, Optional.empty()));
        Retention retention = new Retention(
                database,
                log,
                clock,
                RetentionSettings.DEFAULT,
                List.of(),
                keys,
                () -> witnesses,
                () -> fault,
                RuleSet::none);
        turns(retention, true);
        assertThat(retention.problem().orElseThrow()).contains("node n1 witnessed another history");
        witnesses.clear();
        turns(retention, true);
        assertThat(retention.problem()).isPresent();
        clock.advance(Duration.ofSeconds(10));
        turns(retention, true);
        assertThat(retention.problem()).isEmpty();
    }

    private static void turns(Retention retention, boolean leads) {
        for (int i = 0; i < 20; i++) {
            retention.turn(leads);
        }
    }

    private AuditPruning pruning() {
        return new AuditPruning(database, log, clock, RETENTION, keys, () -> witnesses, () -> fault);
    }

    private void write(int rows) {
        for (int i = 0; i < rows; i++) {
            long number = i;
            database.write(client -> log.add(client, Actor.CENTER, new Command.Act("test", "", Map.of("row", number))));
        }
    }

    /** Writes the first rows as the log would, but many at a time. */
    private void fill(int rows) {
        List<List<Object>> written = new ArrayList<>();
        List<String> hashes = new ArrayList<>();
        long at = clock.epochMicros() / 1000;
        for (long number = 1; number <= rows; number++) {
            String content = AuditRow.commitment("", "", "", "{}");
            AuditRow row = new AuditRow(number, at, "center", "test", 0, AuditRow.DONE, content);
            hashes.add(row.hash());
            written.add(List.of(number, at, "center", "test", "", 0, "{}", content, row.hash()));
        }
        List<String> frontier = new ArrayList<>();
        List<List<Object>> nodes = new ArrayList<>();
        String root = root(hashes);
        for (int depth = 0; !hashes.isEmpty(); depth++) {
            List<String> above = new ArrayList<>();
            for (int place = 0; place < hashes.size(); place++) {
                nodes.add(List.of(depth, place, hashes.get(place)));
                if (place % 2 == 1) {
                    above.add(TreeHash.node(hashes.get(place - 1), hashes.get(place)));
                }
            }
            if (hashes.size() % 2 == 1) {
                frontier.add(0, hashes.get(hashes.size() - 1));
            }
            hashes = above;
        }
        database.write(client -> {
            insert(client, "command (number, at, actor, kind, reason, expected, body, commitment, hash)", written);
            insert(client, "audit_node (depth, place, hash)", nodes);
            client.sql("UPDATE counter SET value = ? WHERE name = 'command'")
                    .param(rows)
                    .update();
            return client.sql("UPDATE audit_head SET number = ?, hash = ?, frontier = ?")
                    .params(rows, root, String.join(" ", frontier))
                    .update();
        });
    }

    private static void insert(JdbcClient client, String into, List<List<Object>> rows) {
        for (int i = 0; i < rows.size(); i += 500) {
            List<List<Object>> some = rows.subList(i, Math.min(rows.size(), i + 500));
            String row = "(" + String.join(", ", Collections.nCopies(some.get(0).size(), "?")) + ")";
            client.sql("INSERT INTO " + into + " VALUES " + String.join(", ", Collections.nCopies(some.size(), row)))
                    .params(some.stream().flatMap(List::stream).toList())
                    .update();
        }
    }

    private void witness(String node, long size) {
        String root = database.read(client -> AuditTree.root(client, size)).orElseThrow();
        witnesses.put(node, new WitnessReport(LOG, size, root, 0, KEY, Optional.empty()));
    }

    private void checkpoint(long size) {
        String root = database.read(client -> AuditTree.root(client, size)).orElseThrow();
        database.write(client -> client.sql(
                        "INSERT INTO audit_checkpoint (size, root, at, key_id, signature) VALUES (?, ?, 0, ?, 'x')")
                .params(size, root, KEY)
                .update());
    }

    private AuditHead head() {
        return database.read(AuditTree::head);
    }

    private CommandEntry newest() {
        return database.read(client -> log.newest(client, Long.MAX_VALUE, 1)).get(0);
    }

    private List<Long> numbers() {
        return database.read(client -> client.sql("SELECT number FROM command ORDER BY number")
                .query(Long.class)
                .list());
    }

    /** The tree over the leaves of deleted rows and over the rows that are there is the one that was stored. */
    private void assertGood() {
        List<String> leaves = new ArrayList<>();
        for (AuditSegment segment : database.read(AuditTables::segments)) {
            leaves.addAll(database.read(client -> AuditTables.leaves(client, segment.first(), segment.last())));
            assertThat((long) leaves.size()).isEqualTo(segment.last());
            String kept = database.read(client -> AuditTree.root(client, segment.last()))
                    .orElseThrow();
            assertThat(kept).isEqualTo(segment.root());
        }
        for (List<LoggedRow> rows = above(leaves.size()); !rows.isEmpty(); rows = above(leaves.size())) {
            for (LoggedRow row : rows) {
                assertThat(row.row().number()).isEqualTo(leaves.size() + 1);
                assertThat(row.isErased() || row.isCommitted()).isTrue();
                leaves.add(row.row().hash());
            }
        }
        assertThat(head()).isEqualTo(new AuditHead(leaves.size(), root(leaves)));
    }

    private List<LoggedRow> above(long number) {
        return database.read(client -> LoggedRow.above(client, number));
    }

    private static String root(List<String> leaves) {
        if (leaves.size() == 1) {
            return leaves.get(0);
        }
        int middle = Integer.highestOneBit(leaves.size() - 1);
        return TreeHash.node(root(leaves.subList(0, middle)), root(leaves.subList(middle, leaves.size())));
    }

    private void sql(String text) {
        database.write(client -> client.sql(text).update());
    }
}
