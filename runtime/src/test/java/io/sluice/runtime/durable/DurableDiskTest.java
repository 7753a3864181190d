package io.sluice.runtime.durable;

import static io.sluice.runtime.durable.DurableFleet.OTHER;
import static io.sluice.runtime.durable.DurableFleet.QUOTA;
import static io.sluice.runtime.durable.DurableFleet.ask;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.core.spi.EngineDecision;
import io.sluice.core.spi.EngineFailure;
import io.sluice.core.spi.KeyMatch;
import io.sluice.runtime.CapturedLog;
import io.sluice.runtime.durable.DurableFleet.Member;
import io.sluice.runtime.durable.TroubledDisk.Trouble;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Durable limits on a disk that hangs or is full. */
@Timeout(600)
class DurableDiskTest extends DurableFleetFixture {

    private static final Duration SHORTLY = Duration.ofMillis(20);

    private final TroubledDisk disk = new TroubledDisk();
    private final CapturedLog log = new CapturedLog(JournalWriter.class);

    @AfterEach
    void close() {
        disk.set(Trouble.NONE);
        log.close();
    }

    @ParameterizedTest
    @EnumSource(names = {"WRITE_HANGS", "FORCE_HANGS"})
    void aDecisionNeverWaitsForTheDisk(Trouble hangs) throws IOException {
        Member a = fleet.member("a").withDisk(disk).start();
        a.charge("acme", 1).flush();
        hang(a, hangs);

        // This thread decides. If it waited for the disk, the test would not end.
        for (int i = 0; i < 500; i++) {
            a.charge("acme", 1).charge("k" + i, 1);
        }

        assertThat(a.quotas().unwritten()).isBetween(500, a.quotas().size() + 1);
        disk.set(Trouble.NONE);
        a.flush();
        assertThat(a.quotas().unwritten()).isZero();
        a.stop();
        restartWithoutCenter(a);
        assertThat(a.used("acme")).isEqualTo(501);
        assertThat(a.used("k499")).isEqualTo(1);
    }

    @Test
    void memoryIsBoundedWhileTheDiskHangs() throws IOException {
        Member a = fleet.member("a").withDisk(disk).withMost(3_000).start();
        a.charge("acme", 1).flush();
        hang(a, Trouble.WRITE_HANGS);

        for (int day = 0; day < 5; day++) {
            for (int i = 0; i < 4_000; i++) {
                a.charge("day" + day + "-" + i % 2_000, 1);
            }
            // Two sums are being written.
            assertThat(a.quotas().unwritten()).isBetween(2_000, a.quotas().size() + 2);
            // The sums of two days are kept, and each of them waits once.
            assertThat(a.quotas().size()).isBetween(2_000, 4_001);
            fleet.clock().advanceMeanwhile(Duration.ofDays(1));
            a.quotas().tidy();
        }
        disk.set(Trouble.NONE);
        a.flush();
        assertThat(Files.readAllLines(a.journal()).stream().filter(line -> line.contains("\tS\t")))
                .hasSize(a.quotas().size());
    }

    @Test
    void theCenterGetsSumsWhileTheDiskHangs() throws IOException {
        Member a = fleet.member("a").withDisk(disk).start();
        a.charge("acme", 1).flush();
        hang(a, Trouble.WRITE_HANGS);
        a.charge("acme", 6);
        // An old window goes, which needs another journal.
        fleet.clock().advanceMeanwhile(Duration.ofDays(3));
        a.quotas().tidy();
        a.charge("acme", 8);
        a.quotas().tidy();

        assertThat(fleet.center().all()).extracting(DurableSum::used).contains(8L);
        assertThat(a.quotas().unsent()).isZero();
    }

    @Test
    void durableLimitsDecideAgainWhileTheDiskHangs() throws IOException {
        Member a = fleet.member("a").withDisk(disk).start();
        a.charge("acme", 1).flush();
        hang(a, Trouble.WRITE_HANGS);
        a.charge("acme", 6);

        a.quotas().storeChanged(false);
        a.check();
        assertThat(a.used("acme")).as("after a connection broke").isEqualTo(7);

        fleet.loseStore();
        a.check();
        assertThat(a.used("acme")).as("after the store was lost").isEqualTo(7);

        disk.set(Trouble.NONE);
        a.charge("acme", 2).flush();
        a.stop();
        restartWithoutCenter(a);
        assertThat(a.used("acme")).as("after a restart, and another loss").isEqualTo(9);
    }

    @ParameterizedTest
    @EnumSource(names = {"WRITE_HANGS", "FORCE_HANGS"})
    void stoppingEndsWhileTheDiskHangs(Trouble hangs) throws IOException {
        Member a = fleet.member("a").withDisk(disk).start();
        a.charge("acme", 1).flush();
        hang(a, hangs);
        a.charge("acme", 6);
        DurableQuotas stopped = a.quotas();

        stopped.close(SHORTLY);
        stopped.close(SHORTLY);

        assertThat(disk.hangs()).isTrue();
        assertThat(disk.wasInterrupted())
                .as("interrupting a write to a hanging disk hangs")
                .isFalse();
        // A process that lives on finishes its journal.
        disk.set(Trouble.NONE);
        await("the journal is closed", () -> Files.exists(a.durable().resolve("closed")));
        a.stop();
        restartWithoutCenter(a);
        assertThat(a.used("acme")).isEqualTo(7);
    }

    @Test
    void aHangingDiskIsToldOnce() throws IOException {
        Member a = fleet.member("a").withDisk(disk).start();
        a.charge("acme", 1).flush();
        hang(a, Trouble.WRITE_HANGS);
        assertThat(a.quotas().findings()).isEmpty();
        fleet.clock().advanceMeanwhile(Duration.ofSeconds(6));
        a.quotas().tidy();
        a.quotas().tidy();

        assertThat(a.quotas().findings())
                .containsExactly(
                        "the disk with the journal of durable limits does not answer, or this machine is overloaded");
        disk.set(Trouble.NONE);
        a.flush();
        assertThat(a.quotas().findings()).isEmpty();
        assertThat(log.lines())
                .containsExactly(
                        "the disk with the journal of durable limits does not answer, or this machine is overloaded; a node that ends now loses what the"
                                + " center does not have",
                        "the journal of durable limits is written again");
    }

    @Test
    void anErasureDoesWhatItCanWhileTheDiskHangsAndTheRestLater() throws IOException {
        Member a = fleet.member("a").withDisk(disk).start();
        a.charge("tenant=acme", 30).send();
        hang(a, Trouble.WRITE_HANGS);
        KeyMatch match = new KeyMatch(key -> true, List.of());

        assertThatThrownBy(() -> a.quotas().erase(match, SHORTLY))
                .isInstanceOf(IOException.class)
                .hasMessage("the disk does not answer");

        assertThat(a.quotas().size()).isZero();
        assertThat(fleet.center().all()).isEmpty();
        disk.set(Trouble.NONE);
        assertThat(a.quotas().erase(match, DurableFleet.PATIENCE).removed()).isZero();
        assertThat(Files.readString(a.journal())).doesNotContain("\tS\t");
    }

    @Test
    void aFullDiskIsToldOnceAndNothingIsLostWhenThereIsRoomAgain() throws IOException {
        Member a = fleet.member("a").withDisk(disk).start();
        a.charge("acme", 1).flush();
        disk.set(Trouble.FULL);
        for (int i = 0; i < 3; i++) {
            a.charge("acme", 10).charge("k" + i, 1);
            assertThatThrownBy(a::flush).isInstanceOf(IOException.class);
        }

        assertThat(a.quotas().findings()).containsExactly("the journal of durable limits cannot be written");
        assertThat(a.quotas().unwritten()).isEqualTo(4);
        assertThat(files(a)).as("no files are left behind").containsExactlyInAnyOrder("journal", "lock");

        disk.set(Trouble.NONE);
        a.flush();
        assertThat(a.quotas().findings()).isEmpty();
        assertThat(a.quotas().unwritten()).isZero();
        assertThat(log.lines())
                .containsExactly(
                        "the journal of durable limits cannot be written; a node that ends now loses what the center does"
                                + " not have: java.io.IOException: No space left on device",
                        "the journal of durable limits is written again");
        a.stop();
        restartWithoutCenter(a);
        assertThat(a.used("acme")).isEqualTo(31);
        assertThat(a.used("k2")).isEqualTo(1);
    }

    @Test
    void aNodeThatEndsWithAFullDiskLosesOnlyWhatNobodyHas() throws IOException {
        Member a = fleet.member("a").withDisk(disk).start();
        a.charge("acme", 1).flush();
        a.charge("acme", 20).flush();
        disk.set(Trouble.FULL);
        a.charge("acme", 10);
        assertThatThrownBy(a::flush).isInstanceOf(IOException.class);
        fleet.center().away(true);
        a.stop();
        disk.set(Trouble.NONE);

        restartWithoutCenter(a);

        assertThat(a.used("acme")).isEqualTo(21);
    }

    @ParameterizedTest
    @EnumSource(names = {"FULL", "BREAKS", "BREAKS_WITH_ERROR"})
    void whatCouldNotBeWrittenIsWrittenLaterHoweverItFailed(Trouble trouble) throws IOException {
        Member a = fleet.member("a").withDisk(disk).start();
        a.charge("acme", 1).flush();
        disk.set(trouble);
        a.charge("acme", 10);
        assertThatThrownBy(a::flush).isInstanceOf(IOException.class);

        assertThat(a.quotas().unwritten()).isEqualTo(1);
        assertThat(a.quotas().findings()).containsExactly("the journal of durable limits cannot be written");
        disk.set(Trouble.NONE);
        fleet.clock().advance(Duration.ofSeconds(6));
        a.quotas().write();
        await("it is written", () -> a.quotas().findings().isEmpty());
        assertThat(files(a)).as("no files are left behind").containsExactlyInAnyOrder("journal", "lock");
        a.stop();
        restartWithoutCenter(a);
        assertThat(a.used("acme")).isEqualTo(11);
    }

    @ParameterizedTest
    @EnumSource(names = {"BREAKS", "BREAKS_WITH_ERROR"})
    void theThreadWritesAgainAfterAnyFailure(Trouble trouble) throws IOException {
        Member a = fleet.member("a").withDisk(disk).start();
        disk.set(trouble);
        var unused = a.quotas().start();
        a.charge("acme", 10);
        await(
                "the attempt has failed",
                () -> a.quotas().findings().contains("the journal of durable limits cannot be written"));
        disk.set(Trouble.NONE);
        fleet.clock().advance(Duration.ofSeconds(6));

        await("it is written", () -> a.quotas().findings().isEmpty());
    }

    @Test
    void aProcessStartsWhileTheDiskHangsAndDecidesWhenTheJournalIsRead() throws Exception {
        Member a = fleet.member("a").withDisk(disk).withoutCenter().start();
        a.charge("acme", 30);
        a.stop();
        fleet.store().lose();
        disk.set(Trouble.OPEN_HANGS);

        // This thread starts the process. If it waited for the disk, the test would not end.
        var unused = a.begin();
        CompletableFuture<Void> started = a.quotas().start();
        await("the disk hangs", disk::hangs);
        a.check();
        assertThat(a.quotas().engine().decide(ask(QUOTA, "acme", 1)))
                .isEqualTo(new EngineFailure("not-restored", false));
        assertThat(a.quotas().engine().decide(ask(OTHER, "acme", 1))).isInstanceOf(EngineDecision.class);
        assertThat(a.quotas().isRestored()).isFalse();
        String unread =
                "durable limits are not restored, on_failure decides them: the journal in the directory of --data"
                        + " has not been read yet";
        assertThat(a.quotas().findings()).containsExactly(unread);
        fleet.clock().advanceMeanwhile(Duration.ofSeconds(6));
        a.quotas().tidy();
        assertThat(a.quotas().findings())
                .containsExactly(
                        unread,
                        "the disk with the journal of durable limits does not answer, or this machine is overloaded");
        assertThat(started).succeedsWithin(DurableFleet.PATIENCE);

        disk.set(Trouble.NONE);
        await("durable limits decide", a.quotas()::isRestored);
        assertThat(a.used("acme")).isEqualTo(30);
        assertThat(a.quotas().findings()).isEmpty();
        assertThat(log.lines())
                .containsExactly(
                        "the disk with the journal of durable limits does not answer, or this machine is overloaded; on_failure decides them until it is"
                                + " read",
                        "the disk with the journal of durable limits answers again");
    }

    /** Whoever waits for the first attempt may look at once. */
    @Test
    void anAttemptToReadTheJournalThatHasEndedIsNotUnderWay() {
        disk.set(Trouble.OPEN_HANGS);
        Member a = fleet.member("a").withDisk(disk).withoutCenter();
        CompletableFuture<List<String>> findings = a.begin().thenApply(opened -> {
            fleet.clock().advanceMeanwhile(Duration.ofSeconds(6));
            return a.quotas().findings();
        });
        disk.set(Trouble.NONE);

        assertThat(findings.orTimeout(DurableFleet.PATIENCE.toSeconds(), TimeUnit.SECONDS)
                        .join())
                .noneMatch(finding -> finding.contains("does not answer"));
    }

    @ParameterizedTest
    @EnumSource(names = {"OPEN_FAILS", "OPEN_FAILS_WITH_ERROR"})
    void aProcessStartsHoweverReadingTheJournalFails(Trouble trouble) {
        disk.set(trouble);
        Member a = fleet.member("a").withDisk(disk).withoutCenter();
        var unused = a.begin();

        assertThat(a.quotas().start()).succeedsWithin(DurableFleet.PATIENCE);
        assertThat(a.quotas().findings()).contains("the journal of durable limits cannot be used");

        disk.set(Trouble.NONE);
        fleet.clock().advance(Duration.ofSeconds(6));
        await("the journal can be used", () -> a.quotas().findings().isEmpty());
    }

    @Test
    void aProcessThatStopsBeforeItsJournalWasReadLosesNothing() throws IOException {
        Member a = fleet.member("a").withDisk(disk).withoutCenter().start();
        a.charge("acme", 30);
        a.stop();
        disk.set(Trouble.OPEN_HANGS);
        var unused = a.begin();
        await("the disk hangs", disk::hangs);

        a.quotas().close(SHORTLY);

        assertThat(disk.wasInterrupted()).isFalse();
        disk.set(Trouble.NONE);
        a.stop();
        restartWithoutCenter(a);
        assertThat(a.used("acme")).isEqualTo(30);
    }

    @Test
    void anErasureIsNotDoneUntilTheJournalWasRead() throws IOException {
        Member a = fleet.member("a").withDisk(disk).start();
        a.charge("tenant=acme", 30).send();
        a.stop();
        disk.set(Trouble.OPEN_HANGS);
        var unused = a.begin();
        KeyMatch match = new KeyMatch(key -> true, List.of());

        assertThatThrownBy(() -> a.quotas().erase(match, SHORTLY))
                .isInstanceOf(IOException.class)
                .hasMessage("the disk does not answer");

        assertThat(fleet.center().all()).isEmpty();
        disk.set(Trouble.NONE);
        assertThat(a.quotas().erase(match, DurableFleet.PATIENCE).removed()).isEqualTo(1);
        a.quotas().send();
        assertThat(fleet.center().all()).isEmpty();
        assertThat(Files.readString(a.journal())).doesNotContain("\tS\t");
    }

    @ParameterizedTest
    @EnumSource(names = {"OPEN_FAILS", "OPEN_FAILS_WITH_ERROR"})
    void aJournalThatCouldNotBeReadIsReadLaterAndItsSumsAreChargedOnce(Trouble trouble) throws IOException {
        Member a = fleet.member("a").withDisk(disk).withoutCenter().start();
        a.charge("acme", 30);
        a.stop();
        fleet.store().lose();
        disk.set(trouble);
        a.start();
        a.charge("acme", 5);
        fleet.loseStore();
        a.check();
        assertThat(a.used("acme")).as("without its journal").isEqualTo(5);
        fleet.store().forgetSettlements();
        assertThat(a.quotas().findings()).containsExactly("the journal of durable limits cannot be used");
        KeyMatch match = new KeyMatch(key -> key.equals("zeta"), List.of());
        assertThatThrownBy(() -> a.quotas().erase(match, DurableFleet.PATIENCE))
                .as("the journal may have sums of the subject")
                .isInstanceOf(IOException.class);

        readLater(a);
        a.check();
        fleet.store().forgetSettlements();
        a.check();
        assertThat(a.used("acme")).isEqualTo(35);
        fleet.loseStore();
        a.check();
        assertThat(a.used("acme")).as("after another loss").isEqualTo(35);
        a.stop();
        restartWithoutCenter(a);
        assertThat(a.used("acme")).as("after a restart, and another loss").isEqualTo(35);
    }

    @Test
    void whatAJournalHadAlreadyRestoredIsNotChargedAgain() throws IOException {
        Member a = fleet.member("a").withDisk(disk).withoutCenter().start();
        a.charge("acme", 30);
        fleet.loseStore();
        a.check();
        a.stop();
        disk.set(Trouble.OPEN_FAILS);
        a.start();
        fleet.store().forgetSettlements();

        readLater(a);
        a.check();

        assertThat(a.used("acme")).isEqualTo(30);
    }

    @Test
    void aSecondProcessInTheSameDirectoryTakesTheJournalOverWhenTheFirstOneEnds() throws IOException {
        Member a = fleet.member("a").withoutCenter().start();
        a.charge("acme", 30);
        Member same = fleet.member("a").withoutCenter().start();
        same.charge("acme", 2);
        assertThat(same.quotas().findings()).containsExactly("another process writes the journal of durable limits");
        a.stop();

        readLater(same);
        same.check();
        same.stop();

        restartWithoutCenter(same);
        assertThat(same.used("acme")).isEqualTo(32);
    }

    /** Lets the process try it again. */
    private void readLater(Member a) {
        disk.set(Trouble.NONE);
        fleet.clock().advance(Duration.ofSeconds(6));
        a.quotas().write();
        await("the journal can be used", () -> a.quotas().findings().isEmpty());
    }

    /** Lets the process write something, and waits until it hangs. */
    private void hang(Member a, Trouble hangs) {
        disk.set(hangs);
        a.charge("hangs", 1);
        a.quotas().write();
        await("the disk hangs", disk::hangs);
    }

    private static List<String> files(Member a) throws IOException {
        try (Stream<Path> all = Files.list(a.durable())) {
            return all.map(each -> each.getFileName().toString()).toList();
        }
    }
}
