package io.sluice.center.data;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.core.time.ManualClock;
import io.sluice.runtime.data.DataBatch;
import io.sluice.runtime.data.DataBatch.Kind;
import io.sluice.runtime.data.DataReport;
import io.sluice.runtime.fleet.NodeHealth;
import io.sluice.runtime.fleet.NodeIdentity;
import io.sluice.runtime.fleet.NodeReport;
import io.sluice.runtime.fleet.RulesInForce;
import io.sluice.testkit.QuietClock;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class DataIntakeTest {

    @TempDir
    private Path folder;

    private final ManualClock clock = QuietClock.at(0);
    private final Taken taken = new Taken();
    private DataIntake intake;

    /** Remembers what it was given, and says that it needs all of it until told otherwise. */
    private static final class Taken implements DataConsumer {
        final List<StoredBatch> batches = new ArrayList<>();
        long needsFrom = 1;

        @Override
        public Kind kind() {
            return Kind.COUNTS;
        }

        @Override
        public void take(StoredBatch batch) {
            if (batch.content().length == 0) {
                throw new IllegalArgumentException("empty");
            }
            batches.add(batch);
        }

        @Override
        public void turn(long nowMillis) {}

        @Override
        public void close() {}

        @Override
        public long needsFrom() {
            return needsFrom;
        }

        long[] numbers(String node) {
            return batches.stream()
                    .filter(batch -> batch.node().equals(node))
                    .mapToLong(StoredBatch::number)
                    .toArray();
        }
    }

    @BeforeEach
    void open() throws IOException {
        clock.advance(Duration.ofDays(20_000));
        reopen();
    }

    private void reopen() throws IOException {
        taken.batches.clear();
        intake = DataIntake.open(clock, List.of(taken), folder);
    }

    @Test
    void takesEachBatchOnce() {
        assertThat(intake.take(report("a", 1, 1, 2)).getAsLong()).isEqualTo(2);
        assertThat(intake.take(report("a", 1, 1, 2, 3)).getAsLong()).isEqualTo(3);
        assertThat(intake.take(report("b", 1, 1)).getAsLong()).isEqualTo(1);
        assertThat(taken.numbers("a")).containsExactly(1, 2, 3);
        assertThat(taken.numbers("b")).containsExactly(1);
        assertThat(intake.missed()).isZero();
    }

    @Test
    void aNodeThatStartsAgainBeginsWithOne() {
        intake.take(report("a", 1, 1, 2));
        intake.take(report("a", 2, 1));
        assertThat(taken.numbers("a")).containsExactly(1, 2, 1);
    }

    @Test
    void batchesThatNeverCameAreCounted() {
        intake.take(report("a", 1, 1, 2));
        intake.take(report("a", 1, 7));
        assertThat(intake.missed()).isEqualTo(4);
        intake.take(report("b", 1, 9));
        assertThat(intake.missed()).isEqualTo(4);
    }

    @Test
    void afterARestartNothingIsLostOrTakenTwice() throws IOException {
        intake.take(report("a", 1, 1, 2));
        // As after a kill: nothing was closed.
        reopen();
        assertThat(taken.numbers("a")).containsExactly(1, 2);
        assertThat(intake.take(report("a", 1, 2, 3)).getAsLong()).isEqualTo(3);
        assertThat(taken.numbers("a")).containsExactly(1, 2, 3);
        assertThat(taken.batches).extracting(StoredBatch::position).isSorted().doesNotHaveDuplicates();
    }

    @Test
    void whatIsWrittenElsewhereLeavesTheJournalButIsNotTakenAgain() throws IOException {
        for (int i = 1; i <= 10; i++) {
            intake.take(report("a", 1, i));
            taken.needsFrom = taken.batches.get(i - 1).position() + 1;
            clock.advance(Duration.ofMinutes(2));
            intake.turn();
        }
        assertThat(files()).hasSize(1);
        reopen();
        assertThat(taken.batches).isEmpty();
        assertThat(intake.take(report("a", 1, 10)).getAsLong()).isEqualTo(10);
        assertThat(taken.batches).isEmpty();
        intake.take(report("a", 1, 11));
        assertThat(taken.numbers("a")).containsExactly(11);
    }

    @Test
    void whatIsNeededStays() throws IOException {
        for (int i = 1; i <= 6; i++) {
            intake.take(report("a", 1, i));
            taken.needsFrom = i < 3 ? Long.MAX_VALUE : taken.batches.get(2).position();
            clock.advance(Duration.ofMinutes(2));
            intake.turn();
        }
        reopen();
        assertThat(taken.numbers("a")).contains(3, 4, 5, 6);
    }

    @Test
    void aRecordThatWasCutOffIsNotTaken() throws IOException {
        intake.take(report("a", 1, 1));
        intake.take(report("a", 1, 2));
        Path file = files().get(0);
        byte[] whole = Files.readAllBytes(file);
        for (int cut = 1; cut <= 20; cut++) {
            Files.write(
                    file,
                    Arrays.copyOf(whole, whole.length - cut),
                    StandardOpenOption.CREATE,
                    StandardOpenOption.TRUNCATE_EXISTING,
                    StandardOpenOption.WRITE);
            reopen();
            assertThat(taken.numbers("a")).containsExactly(1);
            // The node was never told that it is stored, so it comes again.
            assertThat(intake.take(report("a", 1, 2)).getAsLong()).isEqualTo(2);
            assertThat(taken.numbers("a")).containsExactly(1, 2);
            for (Path each : files()) {
                Files.delete(each);
            }
        }
    }

    @Test
    void damagedBatchesAreCountedAndNeverComeAgain() {
        NodeReport bad = report("a", 1)
                .with(new DataReport(now(), List.of(new DataBatch(1, Kind.COUNTS, new byte[0])), Map.of()));
        assertThat(intake.take(bad).getAsLong()).isEqualTo(1);
        assertThat(intake.damaged()).isEqualTo(1);
    }

    @Test
    void timesOfANodeWhoseClockDiffersAreShifted() {
        intake.take(report("a", 1, 1));
        NodeReport ahead = report("b", 1)
                .with(new DataReport(
                        now() + 3_600_000, List.of(new DataBatch(1, Kind.COUNTS, new byte[] {1})), Map.of()));
        intake.take(ahead);
        assertThat(taken.batches).extracting(StoredBatch::shiftMillis).containsExactly(0L, -3_600_000L);
    }

    @Test
    void whatNodesDroppedIsSummed() {
        intake.take(report("a", 1).with(new DataReport(now(), List.of(), Map.of(Kind.COUNTS, 3L))));
        intake.take(report("b", 1).with(new DataReport(now(), List.of(), Map.of(Kind.COUNTS, 4L))));
        assertThat(intake.dropped(node -> true)).isEqualTo(Map.of(Kind.COUNTS, 7L));
    }

    /** A node that stops sends everything before, and one that was silent for a while sends it later. */
    @Test
    void whatAKilledNodeHadNotSentIsMissing() {
        intake.take(pending("a", 1, 5));
        assertThat(intake.dropped(node -> false)).isEmpty();
        assertThat(intake.dropped(node -> true)).isEqualTo(Map.of(Kind.CALLERS, 5L));
        intake.take(pending("a", 1, 0));
        assertThat(intake.dropped(node -> true).values()).containsOnly(0L);

        intake.take(pending("a", 1, 6));
        intake.take(pending("a", 2, 0));
        assertThat(intake.dropped(node -> false)).isEqualTo(Map.of(Kind.CALLERS, 6L));
        intake.take(pending("a", 3, 2));
        assertThat(intake.dropped(node -> true)).isEqualTo(Map.of(Kind.CALLERS, 8L));
    }

    private NodeReport pending(String node, long started, long refusals) {
        return report(node, started).with(new DataReport(now(), List.of(), Map.of(), Map.of(Kind.CALLERS, refusals)));
    }

    private List<Path> files() {
        try (Stream<Path> all = Files.list(folder)) {
            return all.sorted().toList();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private long now() {
        return clock.epochMicros() / 1_000;
    }

    private NodeReport report(String node, long started, long... numbers) {
        List<DataBatch> batches = LongStream.of(numbers)
                .mapToObj(number -> new DataBatch(number, Kind.COUNTS, new byte[] {(byte) number}))
                .toList();
        return new NodeReport(
                        new NodeIdentity(node, NodeReport.Kind.NODE, node, "test", started),
                        1,
                        RulesInForce.of(0, "", 0),
                        NodeHealth.of(NodeReport.Mode.REMOTE, NodeReport.Breaker.CLOSED))
                .with(new DataReport(now(), batches, Map.of()));
    }
}
