package io.sluice.center.audit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.runtime.witness.Checkpoint;
import io.sluice.runtime.witness.LogKey;
import io.sluice.runtime.witness.TreeHash;
import io.sluice.runtime.witness.WitnessReport;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class AuditCheckTest {

    private final SignedLog log = new SignedLog();

    @Test
    void aLogIsVerifiedWithItsKeyAndAWitness() {
        log.add(10).sign().add(5);
        AuditReport report = verified(log.checkpoint(10));
        assertThat(report.verified()).as("%s", report).isTrue();
        assertThat(report.good()).isTrue();
        assertThat(report.rows()).isEqualTo(15);
        assertThat(report.head()).isEqualTo(log.head(15).hash());
        assertThat(report.integrity().signedUntil()).isEqualTo(10);
        assertThat(report.witness())
                .isEqualTo(new AuditReport.Witnessed(10, log.checkpoint(10).atMillis(), 1, 1, 5, List.of()));
    }

    @Test
    void nothingIsVerifiedWithoutKeyOrWitness() {
        log.add(10).sign();
        AuditCheck noKey = log.check(Optional.empty());
        noKey.witness("n1", log.checkpoint(10));
        AuditReport report = log.finish(noKey);
        assertThat(report.good()).isTrue();
        assertThat(report.verified()).isFalse();
        assertThat(report.unverified()).containsExactly("no trusted key was given");
        report = log.finish(log.check(Optional.of(log.trusted())));
        assertThat(report.good()).isTrue();
        assertThat(report.unverified()).containsExactly("no witness vouches for the log");
    }

    @Test
    void nothingIsVerifiedWithoutACheckpointOfTheTrustedKey() {
        log.add(10);
        AuditReport report = verified(log.checkpoint(10));
        assertThat(report.good()).isTrue();
        assertThat(report.unverified()).singleElement().asString().contains("no checkpoint is signed");
    }

    @Test
    void anEmptyLogIsNotVerified() {
        log.sign();
        AuditReport report = verified(log.checkpoint(0));
        assertThat(report.good()).isTrue();
        assertThat(report.verified()).isFalse();
    }

    @Test
    void everyChangeOfARowIsNamed() {
        log.add(10).sign();
        LoggedRow good = log.rows.get(3);
        AuditRow row = good.row();
        for (LoggedRow changed : List.of(
                with(good, "other", "192.0.2.1", "why", "{}"),
                with(good, good.salt(), "192.0.2.2", "why", "{}"),
                with(good, good.salt(), "192.0.2.1", "because", "{}"),
                with(good, good.salt(), "192.0.2.1", "why", "{\"x\":1}"),
                with(good, new AuditRow(4, 1, row.actor(), row.kind(), 0, row.outcome(), row.commitment())),
                with(good, new AuditRow(4, row.at(), "user:b", row.kind(), 0, row.outcome(), row.commitment())),
                with(good, new AuditRow(4, row.at(), row.actor(), "other", 0, row.outcome(), row.commitment())),
                with(good, new AuditRow(4, row.at(), row.actor(), row.kind(), 1, row.outcome(), row.commitment())),
                with(good, new AuditRow(4, row.at(), row.actor(), row.kind(), 0, "refused", row.commitment())))) {
            log.rows.set(3, changed);
            assertBad(verified(log.checkpoint(10)), 4, "changed: ");
        }
    }

    @Test
    void aRowThatWasReplacedWithAGoodHashIsNoticedByTheNextCheckpoint() {
        log.add(3).sign().add(3).sign().add(3).sign();
        log.replace(5, SignedLog.row(5, "other", "{}"));
        AuditReport report = log.finish(log.check(Optional.empty()));
        assertBad(report, 6, "replaced: this or an earlier row (after row 3) is not the one that the checkpoint of");
    }

    @Test
    void aHistoryThatWasRewrittenAndSignedWithTheRightKeyIsNoticedByAWitness() {
        log.add(10);
        Checkpoint held = log.checkpoint(8);
        log.replace(5, SignedLog.row(5, "other", "{}"));
        log.add(20).sign();
        AuditReport report = verified(held);
        assertThat(report.integrity().good()).isTrue();
        assertThat(report.completeness().good()).isTrue();
        assertThat(report.witness().contradictions())
                .singleElement()
                .asString()
                .contains("n1 has witnessed another history");
        assertBad(report, 8, "n1 has witnessed another history");
    }

    @Test
    void aMissingRowIsNamed() {
        log.add(10).sign();
        log.rows.remove(4);
        assertBad(verified(log.checkpoint(10)), 5, "missing: the next row is 6");
    }

    @Test
    void aRowThatOccursTwiceIsNamed() {
        log.add(10).sign();
        log.rows.add(5, log.rows.get(4));
        assertBad(verified(log.checkpoint(10)), 5, "inserted: ");
    }

    @Test
    void aBeginningThatIsMissingIsNamed() {
        log.add(10).sign();
        log.rows.subList(0, 4).clear();
        AuditReport report = verified(log.checkpoint(10));
        assertBad(report, 1, "missing: rows up to 4 are gone, and no segment keeps their head");
        assertThat(report.completeness().good()).isFalse();
    }

    @Test
    void anInsertedRowAtTheEndIsNamed() {
        log.add(10).sign().add(1);
        AuditCheck check = log.check(Optional.empty());
        check.counter(10);
        assertBad(log.finish(check), 11, "inserted: only 10 rows were ever written");
    }

    @Test
    void aCutTailIsNoticedByWhateverKnowsMore() {
        log.add(10);
        AuditHead head = log.head(10);
        Checkpoint checkpoint = log.checkpoint(10);
        log.rows.subList(8, 10).clear();
        AuditCheck check = log.check(Optional.empty());
        check.counter(10);
        assertCut(check, "the counter of rows");
        check = log.check(Optional.empty());
        check.head(head);
        assertCut(check, "the head of the log");
        check = log.check(Optional.empty());
        check.remembered(head);
        assertCut(check, "this machine");
        check = log.check(Optional.empty());
        check.checkpoint(checkpoint);
        assertCut(check, "a checkpoint");
        check = log.check(Optional.empty());
        check.witness("node n7", checkpoint);
        assertCut(check, "node n7");
    }

    @Test
    void aWrongSignatureIsNoticed() {
        log.add(10);
        Checkpoint good = log.checkpoint(10);
        AuditCheck check = log.check(Optional.empty());
        check.checkpoint(
                new Checkpoint(good.log(), 10, good.root(), good.atMillis() + 1, good.key(), good.signature()));
        AuditReport report = log.finish(check);
        assertThat(report.good()).isFalse();
        assertThat(report.firstBad()).isEmpty();
        assertThat(report.problem().orElseThrow()).contains("has a wrong signature");
    }

    @Test
    void aKeyThatTheOneBeforeSignedIsTrusted() {
        log.add(3).sign();
        for (int i = 0; i < 3; i++) {
            log.rotate(log.key).add(2).sign();
        }
        AuditReport report = verified(log.checkpoint(9));
        assertThat(report.verified()).as("%s", report).isTrue();
        assertThat(report.integrity().signedUntil()).isEqualTo(9);
        assertThat(report.integrity().checkpoints()).isEqualTo(4);
    }

    @Test
    void aKeyThatTheOneBeforeDidNotSignIsNotTrusted() {
        log.add(3).sign();
        log.rotate(SignedLog.pair()).add(2).sign();
        AuditReport report = verified(log.checkpoint(3));
        assertThat(report.verified()).isFalse();
        assertThat(String.join(" ", report.integrity().problems())).contains("not signed by the key before it");
    }

    @Test
    void aKeyThatBeganAnewHasToBeTrustedItself() {
        LogKey first = log.trusted();
        log.add(3).sign();
        log.key = SignedLog.pair();
        LogKey next = LogKey.of(log.key.getPublic());
        log.keys.add(new LoggedKey(next, "", "", 2));
        log.add(2).sign();
        for (Optional<LogKey> trusted : List.of(Optional.<LogKey>empty(), Optional.of(first))) {
            AuditCheck check = log.check(trusted);
            check.witness("n1", log.checkpoint(5));
            AuditReport report = log.finish(check);
            assertThat(report.verified()).isFalse();
            assertThat(report.problem().orElseThrow()).contains("key " + next.id() + ": began anew");
            assertThat(report.integrity().signedUntil()).isEqualTo(trusted.isPresent() ? 3 : 5);
        }
        AuditCheck check = log.check(Optional.of(next));
        check.witness("n1", log.checkpoint(5));
        AuditReport report = log.finish(check);
        assertThat(report.verified()).as("%s", report).isTrue();
    }

    @Test
    void aTrustedKeyThatTheLogNeverHadIsNamed() {
        log.add(3).sign();
        LogKey other = new SignedLog().trusted();
        AuditCheck check = log.check(Optional.of(other));
        check.witness("n1", log.checkpoint(3));
        AuditReport report = log.finish(check);
        assertThat(report.verified()).isFalse();
        assertThat(report.problem().orElseThrow()).startsWith("key " + other.id() + ": trusted, but");
    }

    @Test
    void erasedContentNeedsALaterRowThatListsIt() {
        log.add(5);
        log.erase(2, 6);
        log.addErasure(log.key, List.of(2L));
        log.sign();
        assertThat(verified(log.checkpoint(6)).verified()).isTrue();
        log.erase(3, 6);
        assertBad(verified(log.checkpoint(6)), 3, "changed: its content is gone");
    }

    @Test
    void contentIsNotErasedByARowOfAnotherKindOrAnEarlierOneOrNone() {
        log.add(2);
        log.addErasure(log.key, List.of(1L, 4L));
        log.add("test", "{\"rows\":[1]}");
        log.erase(1, 4);
        assertBad(verified(log.checkpoint(4)), 1, "changed: its content is gone");
        log.erase(1, 9);
        assertBad(verified(log.checkpoint(4)), 1, "changed: its content is gone");
        log.erase(1, 3);
        assertThat(verified(log.checkpoint(4)).good()).isTrue();
        log.erase(4, 3);
        assertBad(verified(log.checkpoint(4)), 4, "changed: the row says that it was erased");
    }

    @Test
    void anErasedRowHasNoOtherContent() {
        log.add(2);
        log.addErasure(log.key, List.of(1L));
        LoggedRow row = log.rows.get(0);
        log.rows.set(0, new LoggedRow(row.row(), "", "", "", "{\"lie\":1}", row.hash(), 3));
        assertBad(verified(log.checkpoint(3)), 1, "changed: the row says that it was erased");
    }

    @Test
    void prunedRowsKeepTheirHashes() {
        log.add(7).sign().add(2);
        AuditHead head = log.head(7);
        log.addPruning(log.key, new AuditSegment(1, 7, head.hash(), 5));
        log.sign();
        log.rows.subList(0, 7).clear();
        AuditReport report = pruned(new AuditSegment(1, 7, head.hash(), 5), log.leaves.subList(0, 7));
        assertThat(report.verified()).as("%s", report).isTrue();
        assertThat(report.completeness().pruned()).isEqualTo(7);
        assertThat(report.rows()).isEqualTo(3);
        assertThat(report.integrity().checkpoints()).isEqualTo(2);

        assertThat(pruned(new AuditSegment(1, 7, TreeHash.EMPTY, 5), log.leaves.subList(0, 7))
                        .integrity()
                        .good())
                .isFalse();
        assertBad(
                pruned(new AuditSegment(1, 7, head.hash(), 5), log.leaves.subList(0, 5)),
                6,
                "missing: rows up to 7 were pruned without hashes");
    }

    @Test
    void onlyAKeyOfTheLogMaySignThatRowsWereErased() {
        log.add(5);
        log.erase(2, 6);
        log.addErasure(SignedLog.pair(), List.of(2L));
        assertBad(verified(log.checkpoint(6)), 2, "changed: its content is gone");
        log.replace(6, SignedLog.row(6, "erase_subject", "{\"erasure\":7,\"rows\":[2]}"));
        assertBad(verified(log.checkpoint(6)), 2, "changed: its content is gone");
    }

    @Test
    void aSignatureOfAnErasureIsGoodForItsOwnRowsAlone() {
        log.add(5);
        log.addErasure(log.key, List.of(2L));
        String body = log.rows.get(5).body();
        log.replace(6, SignedLog.row(6, "erase_subject", body.replace("[2]", "[2, 3]")));
        log.erase(3, 6);
        assertBad(verified(log.checkpoint(6)), 3, "changed: its content is gone");
    }

    @Test
    void anErasureThatAnEarlierKeySignedStaysGood() {
        log.add(5);
        log.erase(2, 6);
        log.addErasure(log.key, List.of(2L));
        log.rotate(log.key).add(2).sign();
        assertThat(verified(log.checkpoint(8)).verified()).isTrue();
    }

    @Test
    void onlyAKeyOfTheLogMaySignThatRowsWerePruned() {
        log.add(9);
        AuditSegment segment = new AuditSegment(1, 7, log.head(7).hash(), 5);
        log.addPruning(SignedLog.pair(), segment);
        log.sign();
        log.rows.subList(0, 7).clear();
        assertBad(pruned(segment, log.leaves.subList(0, 7)), 1, "missing: rows 1..7 are gone");
    }

    @Test
    void rowsThatAreGoneWithoutARowThatTellsItAreMissing() {
        log.add(9).sign();
        AuditHead head = log.head(7);
        log.rows.subList(0, 7).clear();
        AuditReport report = pruned(new AuditSegment(1, 7, head.hash(), 5), log.leaves.subList(0, 7));
        assertBad(report, 1, "missing: rows 1..7 are gone, and no later row tells that they were pruned");
        assertThat(report.completeness().good()).isFalse();
    }

    @Test
    void witnessesAreCountedApart() {
        log.add(10).sign();
        AuditCheck check = log.check(Optional.of(log.trusted()));
        check.witness("n1", report(10, log.head(10).hash(), Optional.empty()));
        check.witness("n2", report(10, log.head(10).hash(), Optional.empty()));
        check.witness("n3", report(6, log.head(6).hash(), Optional.empty()));
        AuditReport report = log.finish(check);
        assertThat(report.verified()).isTrue();
        assertThat(report.witness().nodes()).isEqualTo(2);
        assertThat(report.witness().agreeing()).isEqualTo(3);
    }

    @Test
    void aWitnessThatRefusesDoesNotVouch() {
        log.add(10).sign();
        AuditCheck check = log.check(Optional.of(log.trusted()));
        check.witness("n1", report(10, log.head(10).hash(), Optional.of("forked")));
        AuditReport report = log.finish(check);
        assertThat(report.verified()).isFalse();
        assertThat(report.witness().agreeing()).isZero();
        assertThat(report.witness().contradictions()).containsExactly("n1 refuses this log: forked");
    }

    @Test
    void aWitnessOfAnotherLogOrWithAForeignSignatureContradicts() {
        log.add(10).sign();
        SignedLog other = new SignedLog();
        other.add(10);
        assertThat(verified(other.checkpoint(10)).witness().contradictions())
                .containsExactly("n1 holds a checkpoint that no key of this log has signed");
        AuditCheck check = log.check(Optional.of(log.trusted()));
        check.witness(
                "n1", new WitnessReport("f".repeat(32), 10, log.head(10).hash(), 1, "0".repeat(16), Optional.empty()));
        assertThat(log.finish(check).witness().contradictions())
                .containsExactly("n1 has witnessed another log, " + "f".repeat(32));
    }

    @Test
    void everythingElseComesBeforeTheRows() {
        log.add(1);
        AuditCheck check = log.check(Optional.empty());
        check.accept(log.rows.get(0));
        assertThatThrownBy(() -> check.counter(1)).isInstanceOf(IllegalStateException.class);
    }

    private AuditReport verified(Checkpoint held) {
        AuditCheck check = log.check(Optional.of(log.trusted()));
        check.witness("n1", held);
        return log.finish(check);
    }

    private AuditReport pruned(AuditSegment segment, List<String> leaves) {
        AuditCheck check = log.check(Optional.of(log.trusted()));
        check.witness("n1", log.checkpoint(log.leaves.size()));
        check.segment(segment);
        leaves.forEach(check::leaf);
        return log.finish(check);
    }

    private static WitnessReport report(long size, String root, Optional<String> refused) {
        return new WitnessReport(SignedLog.ID, size, root, 7, "0".repeat(16), refused);
    }

    private void assertCut(AuditCheck check, String knownTo) {
        AuditReport report = log.finish(check);
        assertBad(report, 9, "missing: rows up to 10 were cut off at the end (known to " + knownTo + ")");
        assertThat(report.completeness().firstMissing()).hasValue(9);
        assertThat(report.completeness().expected()).isEqualTo(10);
        assertThat(report.integrity().good()).isTrue();
    }

    private static void assertBad(AuditReport report, long row, String problem) {
        assertThat(report.good()).isFalse();
        assertThat(report.verified()).isFalse();
        assertThat(report.problem().orElseThrow()).startsWith(problem);
        assertThat(report.firstBad()).hasValue(row);
    }

    private static LoggedRow with(LoggedRow row, String salt, String origin, String reason, String body) {
        return new LoggedRow(row.row(), salt, origin, reason, body, row.hash(), 0);
    }

    private static LoggedRow with(LoggedRow row, AuditRow changed) {
        return new LoggedRow(changed, row.salt(), row.origin(), row.reason(), row.body(), row.hash(), 0);
    }
}
