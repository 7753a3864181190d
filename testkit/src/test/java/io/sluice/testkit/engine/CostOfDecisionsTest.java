package io.sluice.testkit.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.core.limit.Limit;
import io.sluice.core.limit.SlidingWindow;
import io.sluice.core.local.LocalEngine;
import io.sluice.core.spi.Ask;
import io.sluice.core.spi.Charge;
import io.sluice.core.spi.Demand;
import io.sluice.core.spi.EngineDecision;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The steps of a decision in process grow no faster than what it has to look at. */
final class CostOfDecisionsTest {

    private static final int FEW = 100;

    @Test
    void aRefusalOfASlidingWindowTakesStepsInProportionToItsSlices() {
        inProportion(FullWindow.class, SlidingWindow.MAX_SLICES);
    }

    @Test
    void aRefusalOfAnEstimateTakesStepsInProportionToItsSlices() {
        inProportion(FullEstimate.class, SlidingWindow.MAX_SLICES);
    }

    @Test
    void aRefusalOfASlidingLogTakesStepsInProportionToTheEntriesThatItWaitsFor() {
        inProportion(FullLog.class, 10_000);
        asFewAsEver(FullLogAskedForOne.class, 10_000);
    }

    @Test
    void aLogFromWhichMostWasGivenBackIsAsFastAsAShortOne() {
        asFewAsEver(EmptiedLog.class, 1_000);
    }

    @Test
    void manyRefusalsSkipTheExpiredEntriesOfALogOnce() {
        inProportion(ExpiredLog.class, 10_000);
    }

    @Test
    void aRefusalOfHeldPermitsNeitherWalksNorSortsTheHolders() {
        asFewAsEver(AllHeld.class, 10_000);
    }

    @Test
    void aRefusalOfManyHeldPermitsTakesStepsInProportionToTheHoldersThatItWaitsFor() {
        inProportion(AllHeldAskedForAll.class, 10_000);
    }

    @Test
    void manyRefusalsSkipTheHoldersThatHaveExpiredOnce() {
        inProportion(ExpiredHolders.class, 10_000);
    }

    /** A sorted tree takes a few more steps for each doubling. */
    @Test
    void admittingRenewingAndGivingBackDoesNotWalkTheHolders() {
        long ofFew = Steps.of(OneMore.class, FEW);
        assertThat(Steps.of(OneMore.class, FEW * FEW)).isGreaterThan(10).isLessThanOrEqualTo(3 * ofFew);
    }

    private static void inProportion(Class<? extends Runnable> work, int many) {
        long ofFew = Steps.of(work, FEW);
        assertThat(ofFew).as("steps for %d", FEW).isGreaterThan(FEW);
        assertThat(Steps.of(work, many)).as("steps for %d", many).isLessThanOrEqualTo(many / FEW * ofFew);
    }

    private static void asFewAsEver(Class<? extends Runnable> work, int many) {
        long ofFew = Steps.of(work, FEW);
        assertThat(ofFew).as("steps for %d", FEW).isBetween(10L, 100L);
        assertThat(Steps.of(work, many)).as("steps for %d", many).isLessThanOrEqualTo(ofFew);
    }

    /** An engine, one limit and its only key. */
    abstract static class OneCount implements Runnable {

        final LocalEngine engine = LocalEngine.onTime(() -> this.micros);
        long micros = 1_790_000_000_000_000L;
        private final Limit limit;

        OneCount(Limit limit) {
            this.limit = limit;
        }

        /** Takes the permits one by one, each at another time. */
        final List<Charge> take(int permits, long microsBetween) {
            List<Charge> charges = new ArrayList<>();
            for (int i = 0; i < permits; i++) {
                charges.addAll(takeOne());
                micros += microsBetween;
            }
            return charges;
        }

        final List<Charge> takeOne() {
            Ask one = Ask.charging(List.of(Demand.of(limit, "k", 1)));
            EngineDecision decision = (EngineDecision) engine.decide(one);
            assertThat(decision.allowed()).isTrue();
            return decision.charges(one);
        }

        final void refuse(long permits) {
            assertThat(((EngineDecision) engine.decide(Ask.charging(List.of(Demand.of(limit, "k", permits)))))
                            .allowed())
                    .isFalse();
        }
    }

    /** One permit in each slice. */
    static class FullWindow extends OneCount {

        private final int slices;

        FullWindow(int slices) {
            this(slices, window(slices));
        }

        FullWindow(int slices, SlidingWindow limit) {
            super(limit);
            this.slices = slices;
            take(slices, 1_000_000);
        }

        static SlidingWindow window(int slices) {
            return Limit.named("w")
                    .slidingWindow(slices, Duration.ofSeconds(slices))
                    .withSlices(slices);
        }

        @Override
        public void run() {
            refuse(slices);
        }
    }

    static final class FullEstimate extends FullWindow {

        FullEstimate(int slices) {
            super(slices, window(slices).asEstimate());
        }
    }

    static final class FullLog extends OneCount {

        private final int entries;

        FullLog(int entries) {
            super(Limit.named("l").slidingLog(entries, Duration.ofDays(1)));
            this.entries = entries;
            take(entries, 1);
        }

        @Override
        public void run() {
            refuse(entries);
        }
    }

    static final class FullLogAskedForOne extends OneCount {

        FullLogAskedForOne(int entries) {
            super(Limit.named("l").slidingLog(entries, Duration.ofDays(1)));
            take(entries, 1);
        }

        @Override
        public void run() {
            refuse(1);
        }
    }

    /** All but the first and the last entry were given back. */
    static final class EmptiedLog extends OneCount {

        private final int entries;

        EmptiedLog(int entries) {
            super(Limit.named("l").slidingLog(entries, Duration.ofDays(1)));
            this.entries = entries;
            engine.giveBack(take(entries, 1).subList(1, entries - 1));
        }

        @Override
        public void run() {
            refuse(entries);
        }
    }

    /** Half of the entries have expired, and as many refusals see that. */
    static final class ExpiredLog extends OneCount {

        private final int entries;

        ExpiredLog(int entries) {
            super(Limit.named("l").slidingLog(entries, Duration.ofSeconds(1)));
            this.entries = entries;
            take(entries / 2, 1);
            micros += 500_000;
            take(1, 0);
            micros += 600_000;
        }

        @Override
        public void run() {
            for (int i = 0; i < entries; i++) {
                refuse(entries);
            }
        }
    }

    /** Every permit is held by another holder, and expires at another time. */
    static final class AllHeld extends OneCount {

        AllHeld(int holders) {
            super(Limit.named("c").concurrency(holders, Duration.ofDays(1)));
            take(holders, 1);
        }

        @Override
        public void run() {
            refuse(1);
        }
    }

    static final class AllHeldAskedForAll extends OneCount {

        private final int holders;

        AllHeldAskedForAll(int holders) {
            super(Limit.named("c").concurrency(holders, Duration.ofDays(1)));
            this.holders = holders;
            take(holders, 1);
        }

        @Override
        public void run() {
            refuse(holders);
        }
    }

    /** Half of the permits have expired, and as many refusals see that. */
    static final class ExpiredHolders extends OneCount {

        private final int holders;

        ExpiredHolders(int holders) {
            super(Limit.named("c").concurrency(holders, Duration.ofSeconds(1)));
            this.holders = holders;
            take(holders / 2, 1);
            micros += 500_000;
            take(1, 0);
            micros += 600_000;
        }

        @Override
        public void run() {
            for (int i = 0; i < holders; i++) {
                refuse(holders);
            }
        }
    }

    static final class OneMore extends OneCount {

        OneMore(int holders) {
            super(Limit.named("c").concurrency(holders + 1, Duration.ofDays(1)));
            take(holders, 1);
        }

        @Override
        public void run() {
            List<Charge> one = takeOne();
            assertThat(engine.renewNow(one.get(0))).isTrue();
            engine.giveBack(one);
        }
    }
}
