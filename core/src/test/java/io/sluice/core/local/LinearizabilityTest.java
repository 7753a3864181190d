package io.sluice.core.local;

import io.sluice.core.Seeded;
import io.sluice.core.limit.Limit;
import io.sluice.core.limit.Rate;
import io.sluice.core.limit.TokenBucket;
import io.sluice.core.spi.Ask;
import io.sluice.core.spi.Charge;
import io.sluice.core.spi.Demand;
import io.sluice.core.spi.EngineDecision;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jetbrains.lincheck.datastructures.IntGen;
import org.jetbrains.lincheck.datastructures.ModelCheckingOptions;
import org.jetbrains.lincheck.datastructures.Operation;
import org.jetbrains.lincheck.datastructures.Param;
import org.jetbrains.lincheck.datastructures.StressOptions;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Whatever several threads do to counts at once is equivalent to some sequential order. Lincheck generates the programs and
 * runs them under every interleaving that it has time for, and under stress. The specifications are the nested classes named
 * {@code …Told}. Time stands still, so that an answer depends only on the order.
 */
final class LinearizabilityTest {

    private static final long NOW = 1_790_000_000_000_000L;

    static List<Class<?>> counts() {
        return List.of(
                OneBucket.class,
                OneLog.class,
                SeveralLimits.class,
                SeveralBuckets.class,
                SweptTable.class,
                GrowingTable.class,
                ChangingNumbers.class);
    }

    @ParameterizedTest
    @MethodSource("counts")
    void everyInterleavingIsLinearizable(Class<?> counts) {
        new ModelCheckingOptions()
                .sequentialSpecification(specification(counts))
                .threads(3)
                .actorsPerThread(2)
                .actorsBefore(1)
                .actorsAfter(2)
                .iterations((int) Seeded.scaled(1, 20))
                .invocationsPerIteration(50)
                .check(counts);
    }

    @ParameterizedTest
    @MethodSource("counts")
    void everyRunUnderStressIsLinearizable(Class<?> counts) {
        new StressOptions()
                .sequentialSpecification(specification(counts))
                .threads(3)
                .actorsPerThread(3)
                .actorsBefore(2)
                .actorsAfter(1)
                .iterations((int) Seeded.scaled(2, 100))
                .invocationsPerIteration(1_000)
                .check(counts);
    }

    private static Class<?> specification(Class<?> counts) {
        for (Class<?> nested : LinearizabilityTest.class.getDeclaredClasses()) {
            if (nested.getSimpleName().equals(counts.getSimpleName() + "Told")) {
                return nested;
            }
        }
        throw new IllegalArgumentException(counts + " (expected: a class with a specification)");
    }

    private static int decide(LocalCounts counts, boolean charging, Demand... demands) {
        Ask ask = Ask.charging(List.of(demands));
        EngineDecision decided = counts.decide(charging ? ask : ask.looking());
        int left = 0;
        for (int i = 0; i < demands.length; i++) {
            left = left * 100 + (int) decided.verdicts().get(i).remaining();
        }
        return decided.allowed() ? left : -1 - left;
    }

    /** A token bucket in one word: gates, decisions, looks and give-backs. */
    @Param(name = "permits", gen = IntGen.class, conf = "1:3")
    public static class OneBucket {

        private final TokenBucket limit =
                Limit.named("x").tokenBucket(Rate.perDay(1)).withBurst(5);
        private final LocalCounts counts = new LocalCounts(MicrosClock.steady(() -> NOW), 100);
        private final LocalGate gate = new LocalGate(counts, limit, "k");
        private final Buckets buckets =
                Objects.requireNonNull(counts.registered(limit).buckets());

        @Operation
        public boolean tryPass(@Param(name = "permits") int permits) {
            return gate.tryPass(permits);
        }

        @Operation
        public boolean take(@Param(name = "permits") int permits) {
            long used = buckets.take("k", permits, buckets.nowMicros());
            return used == Buckets.UNDECIDED ? gate.tryPass(permits) : buckets.fits(used, permits);
        }

        @Operation
        public long pass(@Param(name = "permits") int permits) {
            return gate.pass(permits).remaining();
        }

        @Operation
        public int charge(@Param(name = "permits") int permits) {
            return decide(counts, true, Demand.of(limit, "k", permits));
        }

        @Operation
        public int look() {
            return decide(counts, false, Demand.of(limit, "k", 1));
        }

        @Operation
        public void giveBack(@Param(name = "permits") int permits) {
            counts.giveBack(new Charge(limit, "k", permits, NOW, ""));
        }
    }

    public static class OneBucketTold {

        private int used;

        public boolean tryPass(int permits) {
            boolean fits = used + permits <= 5;
            used += fits ? permits : 0;
            return fits;
        }

        public boolean take(int permits) {
            return tryPass(permits);
        }

        public long pass(int permits) {
            tryPass(permits);
            return 5L - used;
        }

        public int charge(int permits) {
            return tryPass(permits) ? 5 - used : -1 - (5 - used);
        }

        public int look() {
            return used + 1 <= 5 ? 5 - used : -1 - (5 - used);
        }

        public void giveBack(int permits) {
            used = Math.max(0, used - permits);
        }
    }

    /** A count with a lock. */
    @Param(name = "permits", gen = IntGen.class, conf = "1:3")
    public static class OneLog {

        private final Limit limit = Limit.named("x").slidingLog(5, Duration.ofMinutes(1));
        private final LocalCounts counts = new LocalCounts(() -> NOW, 100);

        @Operation
        public int charge(@Param(name = "permits") int permits) {
            return decide(counts, true, Demand.of(limit, "k", permits));
        }

        @Operation
        public int look() {
            return decide(counts, false, Demand.of(limit, "k", 1));
        }

        @Operation
        public void giveBack(@Param(name = "permits") int permits) {
            counts.giveBack(new Charge(limit, "k", permits, NOW, ""));
        }
    }

    public static final class OneLogTold extends OneBucketTold {}

    /** Decisions over several counts, in both orders, mixed with decisions on one of them. */
    public static class SeveralLimits {

        private final TokenBucket bucket =
                Limit.named("bucket").tokenBucket(Rate.perDay(1)).withBurst(4);
        private final Limit log = Limit.named("log").slidingLog(3, Duration.ofMinutes(1));
        private final LocalCounts counts = new LocalCounts(MicrosClock.steady(() -> NOW), 100);
        private final LocalGate gate = new LocalGate(counts, bucket, "k");

        @Operation
        public int both() {
            return decide(counts, true, Demand.of(bucket, "k", 1), Demand.of(log, "k", 1));
        }

        @Operation
        public int bothTheOtherWayRound() {
            return decide(counts, true, Demand.of(log, "k", 1), Demand.of(bucket, "k", 2));
        }

        @Operation
        public int lookAtBoth() {
            return decide(counts, false, Demand.of(bucket, "k", 1), Demand.of(log, "k", 1));
        }

        @Operation
        public boolean bucketAlone() {
            return gate.tryPass(1);
        }

        @Operation
        public int secondAlone() {
            return decide(counts, true, Demand.of(log, "k", 1));
        }

        @Operation
        public void giveBackToTheBucket() {
            counts.giveBack(new Charge(bucket, "k", 1, NOW, ""));
        }

        @Operation
        public void giveBackToTheLog() {
            counts.giveBack(new Charge(log, "k", 1, NOW, ""));
        }
    }

    public static class SeveralLimitsTold {

        private int bucket;
        private int log;

        public int both() {
            boolean fits = bucket < 4 && log < 3;
            bucket += fits ? 1 : 0;
            log += fits ? 1 : 0;
            return told(fits, (4 - bucket) * 100 + 3 - log);
        }

        public int bothTheOtherWayRound() {
            boolean fits = bucket < 3 && log < 3;
            bucket += fits ? 2 : 0;
            log += fits ? 1 : 0;
            return told(fits, (3 - log) * 100 + 4 - bucket);
        }

        public int lookAtBoth() {
            return told(bucket < 4 && log < 3, (4 - bucket) * 100 + 3 - log);
        }

        public boolean bucketAlone() {
            boolean fits = bucket < 4;
            bucket += fits ? 1 : 0;
            return fits;
        }

        public int secondAlone() {
            boolean fits = log < 3;
            log += fits ? 1 : 0;
            return told(fits, 3 - log);
        }

        public void giveBackToTheBucket() {
            bucket = Math.max(0, bucket - 1);
        }

        public void giveBackToTheLog() {
            log = Math.max(0, log - 1);
        }

        private static int told(boolean fits, int left) {
            return fits ? left : -1 - left;
        }
    }

    /** Decisions over two buckets, in both orders, mixed with decisions on one of them. */
    public static class SeveralBuckets {

        private final TokenBucket four =
                Limit.named("four").tokenBucket(Rate.perDay(1)).withBurst(4);
        private final TokenBucket three =
                Limit.named("three").tokenBucket(Rate.perDay(1)).withBurst(3);
        private final LocalCounts counts = new LocalCounts(MicrosClock.steady(() -> NOW), 100);
        private final LocalGate gate = new LocalGate(counts, four, "k");

        @Operation
        public int both() {
            return decide(counts, true, Demand.of(four, "k", 1), Demand.of(three, "k", 1));
        }

        @Operation
        public int bothTheOtherWayRound() {
            return decide(counts, true, Demand.of(three, "k", 1), Demand.of(four, "k", 2));
        }

        @Operation
        public int lookAtBoth() {
            return decide(counts, false, Demand.of(four, "k", 1), Demand.of(three, "k", 1));
        }

        @Operation
        public boolean bucketAlone() {
            return gate.tryPass(1);
        }

        @Operation
        public int secondAlone() {
            return decide(counts, true, Demand.of(three, "k", 1));
        }

        @Operation
        public void giveBackToTheBucket() {
            counts.giveBack(new Charge(four, "k", 1, NOW, ""));
        }
    }

    public static final class SeveralBucketsTold extends SeveralLimitsTold {}

    /** The numbers of a limit change back and forth while other threads decide; what was used is kept. */
    @Param(name = "permits", gen = IntGen.class, conf = "1:3")
    public static class ChangingNumbers {

        private final TokenBucket narrow =
                Limit.named("x").tokenBucket(Rate.perDay(1)).withBurst(3);
        private final TokenBucket wide =
                Limit.named("x").tokenBucket(Rate.perHour(1)).withBurst(6);
        private final LocalCounts counts = new LocalCounts(MicrosClock.steady(() -> NOW), 100);
        private final LocalGate gate = new LocalGate(counts, narrow, "k");

        @Operation
        public boolean throughTheGate(@Param(name = "permits") int permits) {
            return gate.tryPass(permits);
        }

        @Operation
        public int narrow(@Param(name = "permits") int permits) {
            return decide(counts, true, Demand.of(narrow, "k", permits));
        }

        @Operation
        public int wide(@Param(name = "permits") int permits) {
            return decide(counts, true, Demand.of(wide, "k", permits));
        }

        @Operation
        public void giveBack(@Param(name = "permits") int permits) {
            counts.giveBack(new Charge(wide, "k", permits, NOW, ""));
        }
    }

    public static class ChangingNumbersTold {

        private int used;

        public boolean throughTheGate(int permits) {
            boolean fits = used + permits <= 3;
            used += fits ? permits : 0;
            return fits;
        }

        public int narrow(int permits) {
            boolean fits = throughTheGate(permits);
            int left = Math.max(0, 3 - used);
            return fits ? left : -1 - left;
        }

        public int wide(int permits) {
            boolean fits = used + permits <= 6;
            used += fits ? permits : 0;
            return fits ? 6 - used : -1 - (6 - used);
        }

        public void giveBack(int permits) {
            used = Math.max(0, used - permits);
        }
    }

    /** Cells are added, swept as soon as they are unused, and replaced, while others use them. One segment holds them all. */
    @Param(name = "key", gen = IntGen.class, conf = "0:1")
    public static class SweptTable {

        private final TokenBucket limit =
                Limit.named("x").tokenBucket(Rate.perDay(1)).withBurst(100);
        private final CountSeries series = new CountSeries("x", "tb");
        private final PackedBucket packed =
                Objects.requireNonNull(PackedBucket.of(limit, MicrosClock.steady(() -> NOW)));
        private final CellTable table = new CellTable(() -> NOW, 1);
        private final List<String> keys = keysOfOneSegment(series);

        public SweptTable() {
            // Unused from the start: a thread that adds another cell sweeps it while others have just found it.
            table.findOrAdd(series, keys.get(0), false, true, () -> cell(0, PackedBucket.UNUSED));
        }

        @Operation
        public long add(@Param(name = "key") int key) {
            while (true) {
                Cell cell = table.findOrAdd(series, keys.get(key), false, true, () -> cell(key, PackedBucket.UNUSED));
                long word = cell.lock();
                if (word != Cell.DEAD) {
                    cell.unlock(word + 1);
                    return word + 1;
                }
            }
        }

        @Operation
        public long take(@Param(name = "key") int key) {
            for (Cell cell = table.find(series, keys.get(key));
                    cell != null;
                    cell = table.find(series, keys.get(key))) {
                long word = cell.lock();
                if (word != Cell.DEAD) {
                    long next = Math.max(0, word - 1);
                    cell.unlock(next);
                    return next;
                }
            }
            return 0;
        }

        @Operation
        public void replace(@Param(name = "key") int key) {
            Cell cell = table.find(series, keys.get(key));
            if (cell != null) {
                long word = cell.lock();
                if (word != Cell.DEAD && table.replace(cell, cell(key, word))) {
                    cell.unlock(Cell.DEAD);
                } else if (word != Cell.DEAD) {
                    cell.unlock(word);
                }
            }
        }

        private Cell cell(int key, long word) {
            return new Cell.Bucket(series, keys.get(key), packed, word);
        }

        final long used(int key) {
            while (true) {
                Cell cell = table.find(series, keys.get(key));
                long word = cell == null ? 0 : cell.word();
                if (word >= 0) {
                    return word;
                }
            }
        }

        /** Adds counts that are in use and stay. */
        final void fill(int count) {
            for (int key = 2; key < 2 + count; key++) {
                Cell used = cell(key, Long.MAX_VALUE);
                table.findOrAdd(series, used.key, false, true, () -> used);
            }
        }

        private static List<String> keysOfOneSegment(CountSeries series) {
            List<String> keys = new ArrayList<>();
            for (int i = 0; keys.size() < 20; i++) {
                if (series.hash("k" + i) >>> 26 == 7) {
                    keys.add("k" + i);
                }
            }
            return keys;
        }
    }

    /** The same, but the next added cell finds its segment full and moves all cells to another array. */
    public static class GrowingTable extends SweptTable {

        public GrowingTable() {
            add(0);
            fill(9);
        }

        @Operation
        public long look(@Param(name = "key") int key) {
            return used(key);
        }
    }

    public static final class GrowingTableTold extends SweptTableTold {

        public GrowingTableTold() {
            add(0);
        }

        public long look(int key) {
            return used(key);
        }
    }

    public static class SweptTableTold {

        private final long[] used = new long[2];

        public long add(int key) {
            return ++used[key];
        }

        public long take(int key) {
            used[key] = Math.max(0, used[key] - 1);
            return used[key];
        }

        public void replace(int key) {
            // A replacement is not observable.
        }

        final long used(int key) {
            return used[key];
        }
    }
}
