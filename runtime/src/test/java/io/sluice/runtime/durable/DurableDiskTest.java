package io.sluice.runtime.durable;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.core.spi.KeyMatch;
import io.sluice.runtime.CapturedLog;
import io.sluice.runtime.durable.DurableFleet.Member;
import io.sluice.runtime.durable.TroubledDisk.Trouble;
import io.sluice.testkit.Await;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.function.BooleanSupplier;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Durable limits on a disk that hangs or is full. */
@Timeout(600)
class DurableDiskTest {

    private static final Duration SHORTLY = Duration.ofMillis(20);

    @TempDir
    Path folder;

    private final TroubledDisk disk = new TroubledDisk();
    private final CapturedLog log = new CapturedLog(JournalWriter.class);
    private DurableFleet fleet;

    @BeforeEach
    void create() {
        fleet = new DurableFleet(folder);
    }

    @AfterEach
    void close() {
        disk.set(Trouble.NONE);
        fleet.close();
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
            fleet.clock().advance(Duration.ofDays(1));
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
        fleet.clock().advance(Duration.ofDays(3));
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
        fleet.clock().advance(Duration.ofSeconds(6));
        a.quotas().tidy();
        a.quotas().tidy();

        assertThat(a.quotas().findings())
                .containsExactly("the disk with the journal of durable limits does not answer");
        disk.set(Trouble.NONE);
        a.flush();
        assertThat(a.quotas().findings()).isEmpty();
        assertThat(log.lines())
                .containsExactly(
                        "the disk with the journal of durable limits does not answer; a node that ends now loses what the"
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

    /** Lets the process write something, and waits until it hangs. */
    private void hang(Member a, Trouble hangs) {
        disk.set(hangs);
        a.charge("hangs", 1);
        a.quotas().write();
        await("the disk hangs", disk::hangs);
    }

    /** Everything that it knows comes from its disk then. */
    private void restartWithoutCenter(Member a) {
        fleet.store().lose();
        a.withoutCenter().start();
    }

    private static List<String> files(Member a) throws IOException {
        try (Stream<Path> all = Files.list(a.durable())) {
            return all.map(each -> each.getFileName().toString()).toList();
        }
    }

    private static void await(String what, BooleanSupplier condition) {
        Await.until(what, DurableFleet.PATIENCE, condition);
    }
}
