package io.sluice.core.local;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.core.Seeded;
import io.sluice.core.algorithm.BucketState;
import io.sluice.core.algorithm.TokenBuckets;
import io.sluice.core.limit.Concurrency;
import io.sluice.core.limit.Limit;
import io.sluice.core.limit.Rate;
import io.sluice.core.limit.TokenBucket;
import io.sluice.core.spi.Ask;
import io.sluice.core.spi.Charge;
import io.sluice.core.spi.Demand;
import io.sluice.core.spi.EngineDecision;
import io.sluice.core.spi.Verdict;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.IntFunction;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A count that is not found, or stays locked, is sought forever, and no interrupt ends that. */
@Timeout(value = 600, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
final class LocalCountsTest {

    private static final long NOW = 1_790_000_000_000_000L;
    /** Keys that had to be searched one after the other would take thousands of times as long as others. */
    private static final int MUCH_SLOWER = 50;

    private final AtomicLong micros = new AtomicLong(NOW);

    @Test
    void aGateAnswersAsTheBucketDoesThatItsWordStandsFor() {
        Seeded random = Seeded.random("a bucket in a word");
        for (long round = Seeded.scaled(60, 3_000); round > 0; round--) {
            LocalCounts counts = new LocalCounts(MicrosClock.steady(micros::get), 1_000);
            Duration per = Duration.of(random.magnitude(1, 86_400_000_000L * 1_000), ChronoUnit.MICROS);
            Rate rate = random.nextBoolean()
                    ? Rate.perSecond(random.magnitude(1, 10_000_000))
                    : new Rate(random.magnitude(1, Math.min(Limit.MAX_CAPACITY, per.toNanos())), per);
            TokenBucket limit = Limit.named("x").tokenBucket(rate).withBurst(random.magnitude(1, 1_000_000));
            LocalGate gate = new LocalGate(counts, limit, "k");
            LocalGates gates = new LocalGates(counts, limit);
            BucketState state = BucketState.fresh(micros.get());
            for (int i = 0; i < 1_000; i++) {
                micros.addAndGet(
                        random.oneIn(2) ? 0 : random.magnitude(1, 1 + Math.min(limit.windowMicros(), NOW / 500)));
                Demand demand = Demand.of(limit, "k", 1 + random.nextLong(limit.capacity() + 1));
                BucketState aged = state.at(limit.pace(), micros.get());
                long grant = TokenBuckets.grant(limit, aged, demand, micros.get());
                Verdict expected = TokenBuckets.verdict(limit, aged, demand, grant, grant > 0, micros.get());
                switch (random.nextInt(5)) {
                    case 0 ->
                        assertThat(gate.pass(demand.permits()))
                                .as("%s: %s", random, limit)
                                .isEqualTo(expected);
                    case 1 ->
                        assertThat(gate.tryPass(demand.permits()))
                                .as("%s: %s", random, limit)
                                .isEqualTo(grant > 0);
                    case 2 ->
                        assertThat(gates.pass("k", demand.permits()))
                                .as("%s: %s", random, limit)
                                .isEqualTo(expected);
                    case 3 ->
                        assertThat(gates.tryPass("k", demand.permits()))
                                .as("%s: %s", random, limit)
                                .isEqualTo(grant > 0);
                    default ->
                        assertThat(decide(counts, demand).verdicts())
                                .as("%s: %s", random, limit)
                                .containsExactly(expected);
                }
                state = grant > 0 ? aged.plus(grant) : state;
            }
            micros.set(NOW);
        }
    }

    /**
     * A change of numbers must not put into a word what no word can hold, because the sign of a word says that the cell is
     * locked.
     */
    @Test
    void whatWasUsedSurvivesAChangeToNumbersThatItDoesNotFit() {
        LocalCounts counts = new LocalCounts(MicrosClock.steady(micros::get), 1_000);
        TokenBucket wide = Limit.named("x").tokenBucket(Rate.perSecond(1_000_000_000));
        TokenBucket narrow = Limit.named("x").tokenBucket(Rate.perDay(1)).withBurst(10);
        assertThat(decide(counts, Demand.of(wide, "k", 1_000_000_000)).allowed())
                .isTrue();
        assertThat(decide(counts, Demand.of(narrow, "k", 1)).allowed()).isFalse();
        assertThat(new LocalGate(counts, narrow, "k").tryPass(1)).isFalse();
        micros.addAndGet(86_400_000_000L * 365);
        assertThat(decide(counts, Demand.of(narrow, "k", 1)).allowed()).isFalse();
    }

    @Test
    void slotsAreNotReservedBeyondWhatAWordCanTell() {
        LocalCounts counts = new LocalCounts(MicrosClock.steady(micros::get), 1_000);
        TokenBucket limit = Limit.named("x").tokenBucket(Rate.perDay(1)).withBurst(26_000_000);
        Demand patient = Demand.of(limit, "k", 26_000_000).waitingUpTo(Demand.MAX_WAIT_MICROS);
        assertThat(decide(counts, patient).allowed()).isTrue();
        for (int i = 0; i < 10; i++) {
            decide(counts, patient);
        }
        assertThat(decide(counts, Demand.of(limit, "k", 1)).verdicts().get(0).remaining())
                .isZero();
    }

    @Test
    void aGateGoesOnAfterSoManyOtherLimitsThatItsOwnWasForgotten() {
        LocalCounts counts = new LocalCounts(MicrosClock.steady(micros::get), 1_000);
        TokenBucket limit = Limit.named("x").tokenBucket(Rate.perDay(10)).withBurst(10);
        LocalGate gate = new LocalGate(counts, limit, "k");
        LocalGate started = new LocalGate(counts, limit, "k");
        assertThat(started.tryPass(1)).isTrue();
        for (int i = 0; i <= 200_001; i++) {
            counts.registered(limit.withBurst(100 + i));
        }
        assertThat(gate.pass(1).remaining()).isEqualTo(8);
        assertThat(started.pass(1).remaining()).isEqualTo(7);
        assertThat(decide(counts, Demand.of(limit, "k", 1)).verdicts().get(0).remaining())
                .isEqualTo(6);
    }

    @Test
    void aGateThatHadToShareGetsItsOwnCountWhenThereIsRoom() {
        LocalCounts counts = new LocalCounts(MicrosClock.steady(micros::get), 2_000);
        TokenBucket limit = Limit.named("x").tokenBucket(Rate.perSecond(10)).withBurst(10);
        for (int i = 0; i < 2_000; i++) {
            decide(counts, Demand.of(limit, "early" + i, 10));
        }
        LocalGate gate = new LocalGate(counts, limit, "late");
        micros.addAndGet(500_000);
        assertThat(gate.pass(10).remaining()).isZero();
        assertThat(counts.overflowed()).isEqualTo(1);
        micros.addAndGet(500_000);
        // The early ones are as if unused by now; the overflow count is not.
        assertThat(decide(counts, Demand.of(limit, "late", 1)).verdicts().get(0).remaining())
                .isEqualTo(9);
        assertThat(gate.pass(1).remaining()).isEqualTo(8);
        assertThat(counts.overflowed()).isEqualTo(1);
    }

    @Test
    void permitsThatWereTakenFromAnOverflowCountCanBeRenewedAndGivenBack() {
        LocalCounts counts = new LocalCounts(MicrosClock.steady(micros::get), 1);
        Concurrency limit = Limit.named("x").concurrency(2, Duration.ofSeconds(10));
        decide(counts, Demand.of(limit, "first", 1));
        for (int i = 0; i < 10; i++) {
            Ask ask = Ask.charging(List.of(Demand.of(limit, "second", 2)));
            EngineDecision decided = counts.decide(ask);
            assertThat(decided.allowed()).as("time %d", i).isTrue();
            Charge charge = decided.charges(ask).get(0);
            assertThat(counts.renew(charge)).isTrue();
            counts.giveBack(charge);
            assertThat(counts.renew(charge)).isFalse();
        }
        assertThat(counts.overflowed()).isEqualTo(10);
    }

    @Test
    void whatAnOverflowCountWasChargedIsNotGivenBackToTheKeysOwnCount() {
        LocalCounts counts = new LocalCounts(MicrosClock.steady(micros::get), 2_000);
        TokenBucket limit = Limit.named("x").tokenBucket(Rate.perSecond(10)).withBurst(10);
        for (int i = 0; i < 2_000; i++) {
            decide(counts, Demand.of(limit, "early" + i, 1));
        }
        Ask ask = Ask.charging(List.of(Demand.of(limit, "late", 5)));
        EngineDecision shared = counts.decide(ask);
        assertThat(counts.overflowed()).isEqualTo(1);
        assertThat(remaining(counts, ask))
                .as("a look sees the count it would get")
                .isEqualTo(5);
        micros.addAndGet(100_000);
        decide(counts, Demand.of(limit, "late", 8));
        assertThat(counts.overflowed()).as("it has a count of its own by now").isEqualTo(1);
        assertThat(remaining(counts, ask)).isEqualTo(2);
        shared.charges(ask).forEach(counts::giveBack);
        assertThat(remaining(counts, ask)).isEqualTo(2);
    }

    /** Attack A12, by a caller that knows how text is hashed: 65,536 keys with one hash code. */
    @Test
    void keysThatCollideOnPurposeAreFoundAsFastAsOthers() {
        for (boolean words : new boolean[] {true, false}) {
            long ofOthers = Long.MAX_VALUE;
            long ofColliding = Long.MAX_VALUE;
            // Both are timed in one run, so the speed of the machine does not matter; on a busy machine, some run is
            // fair.
            int tries = 0;
            do {
                ofOthers = Math.min(ofOthers, nanosToChargeThrice(words, number -> "k".repeat(27) + (10_000 + number)));
                ofColliding = Math.min(ofColliding, nanosToChargeThrice(words, LocalCountsTest::colliding));
            } while (ofColliding / MUCH_SLOWER > ofOthers && ++tries < 3);
            assertThat(ofColliding / MUCH_SLOWER).isLessThanOrEqualTo(ofOthers);
        }
    }

    private long nanosToChargeThrice(boolean words, IntFunction<String> naming) {
        LocalCounts counts = words
                ? new LocalCounts(MicrosClock.steady(micros::get), 100_000)
                : new LocalCounts(micros::get, 100_000);
        TokenBucket limit = Limit.named("x").tokenBucket(Rate.perDay(1)).withBurst(3);
        List<String> keys = IntStream.range(0, 1 << 16).mapToObj(naming).toList();
        int wrong = 0;
        long start = System.nanoTime();
        for (int left = 2; left >= 0; left--) {
            for (String key : keys) {
                Verdict verdict =
                        decide(counts, Demand.of(limit, key, 1)).verdicts().get(0);
                wrong += verdict.remaining() == left ? 0 : 1;
            }
        }
        long nanos = System.nanoTime() - start;
        assertThat(wrong).isZero();
        assertThat(counts.size()).isEqualTo(1 << 16);
        assertThat(counts.overflowed()).isZero();
        return nanos;
    }

    private static String colliding(int number) {
        StringBuilder key = new StringBuilder();
        for (int bit = 0; bit < 16; bit++) {
            key.append((number >> bit & 1) == 0 ? "Aa" : "BB");
        }
        assertThat(key.toString().hashCode()).isEqualTo("Aa".repeat(16).hashCode());
        return key.toString();
    }

    @Test
    void verdictsOnSeveralBucketsStayAsTheyWereDecided() {
        LocalCounts counts = new LocalCounts(MicrosClock.steady(micros::get), 100);
        TokenBucket five = Limit.named("five").tokenBucket(Rate.perSecond(1)).withBurst(5);
        TokenBucket two = Limit.named("two").tokenBucket(Rate.perSecond(1)).withBurst(2);
        Ask ask = Ask.charging(List.of(Demand.of(five, "k", 1), Demand.of(two, "k", 1)));
        List<EngineDecision> decided = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            decided.add(counts.decide(ask));
        }
        micros.addAndGet(500_000);
        counts.decide(ask);

        assertThat(decided).extracting(EngineDecision::allowed).containsExactly(true, true, false);
        assertThat(decided.get(0).verdicts())
                .isEqualTo(List.of(
                        new Verdict(true, 1, 4, 0, 1_000_000, 0, NOW), new Verdict(true, 1, 1, 0, 1_000_000, 0, NOW)));
        assertThat(decided.get(2).verdicts())
                .isEqualTo(List.of(
                        new Verdict(true, 0, 3, 0, 2_000_000, 0, NOW),
                        new Verdict(false, 0, 0, 1_000_000, 2_000_000, 0, NOW)));
    }

    @Test
    void aClockThatThrowsLeavesNoCountLocked() {
        AtomicBoolean broken = new AtomicBoolean();
        LocalCounts counts = new LocalCounts(
                () -> {
                    if (broken.get()) {
                        throw new IllegalStateException("no time");
                    }
                    return NOW;
                },
                100);
        Limit log = Limit.named("log").slidingLog(5, Duration.ofSeconds(3));
        Limit window = Limit.named("window").fixedWindow(5, Duration.ofSeconds(3));
        Ask both = Ask.charging(List.of(Demand.of(log, "k", 1), Demand.of(window, "k", 1)));
        Charge charge = counts.decide(both).charges(both).get(0);
        broken.set(true);
        assertThatThrownBy(() -> counts.decide(both)).hasMessage("no time");
        assertThatThrownBy(() -> decide(counts, Demand.of(log, "k", 1))).hasMessage("no time");
        assertThatThrownBy(() -> counts.giveBack(charge)).hasMessage("no time");
        assertThatThrownBy(() -> counts.renew(charge)).hasMessage("no time");
        broken.set(false);
        counts.giveBack(charge);
        assertThat(counts.decide(both).verdicts().get(0).remaining()).isEqualTo(4);
    }

    @Test
    void aGateThatIsAskedForNowDoesNotHandOutALaterSlot() {
        LocalCounts counts = new LocalCounts(MicrosClock.steady(micros::get), 100);
        Limit leaky = Limit.named("leaky").leakyBucket(Rate.perSecond(10)).withCapacity(10);
        Limit bucket = Limit.named("bucket")
                .tokenBucket(Rate.perSecond(10))
                .withBurst(1)
                .withMaxWait(Duration.ofSeconds(1));
        for (Limit limit : List.of(leaky, bucket)) {
            LocalGate gate = new LocalGate(counts, limit, "k");
            assertThat(gate.tryPass(1)).as("%s", limit).isTrue();
            assertThat(gate.tryPass(1)).as("%s", limit).isFalse();
            Verdict slot = gate.pass(1);
            assertThat(slot.fits()).as("%s", limit).isTrue();
            assertThat(slot.waitMicros()).as("%s", limit).isEqualTo(100_000);
        }
    }

    /** ADR 3: a count is forgotten a second later than it could be, because time may step back by that much. */
    @Test
    void countsAreNotForgottenWhileTimeMayStillStepBackToThem() {
        LocalCounts counts = new LocalCounts(micros::get, 100_000);
        Limit log = Limit.named("log").slidingLog(5, Duration.ofSeconds(3));
        Limit other = Limit.named("other").slidingLog(5, Duration.ofDays(1));
        for (int i = 0; i < 2_000; i++) {
            decide(counts, Demand.of(log, "k" + i, 5));
        }
        micros.addAndGet(3_000_000);
        for (int i = 0; i < 20_000; i++) {
            decide(counts, Demand.of(other, "k" + i, 1));
        }
        micros.addAndGet(-1);
        for (int i = 0; i < 2_000; i++) {
            assertThat(decide(counts, Demand.of(log, "k" + i, 1)).allowed())
                    .as("key %d, a microsecond before its window is over", i)
                    .isFalse();
        }
    }

    @Test
    void aGateRefusesInvalidNumbersOfPermits() {
        LocalCounts counts = new LocalCounts(MicrosClock.steady(micros::get), 1);
        LocalGate gate = new LocalGate(counts, Limit.named("x").tokenBucket(Rate.perSecond(1)), "k");
        for (long permits : new long[] {0, -1, Long.MIN_VALUE, Long.MAX_VALUE, Limit.MAX_PERMITS + 1}) {
            String message = "permits: " + permits + " (expected: 1..1000000000)";
            assertThatThrownBy(() -> gate.tryPass(permits)).hasMessage(message);
            assertThatThrownBy(() -> gate.pass(permits)).hasMessage(message);
        }
        assertThat(gate.pass(Limit.MAX_PERMITS).retryAfterMicros()).isEqualTo(Verdict.NEVER);
    }

    @Test
    void wordsHoldTenYearsWhateverTheNumbersAre() {
        Duration[] spans = {Duration.ofSeconds(3), Duration.ofSeconds(1), Duration.ofDays(1), Duration.ofDays(999)};
        for (Duration per : spans) {
            for (long permits : new long[] {1, 7, 16_383, 19_997, 24_301, 24_305, 10_000_000, 1_000_000_000}) {
                for (long burst : new long[] {1, 1_000_000, 760_000_000_000L, 768_000_000_000L, Limit.MAX_CAPACITY}) {
                    micros.set(NOW);
                    LocalCounts counts = new LocalCounts(MicrosClock.steady(micros::get), 1_000);
                    TokenBucket limit =
                            Limit.named("x").tokenBucket(new Rate(permits, per)).withBurst(burst);
                    LocalGate gate = new LocalGate(counts, limit, "k");
                    micros.addAndGet(10 * 366 * 86_400_000_000L);
                    long once = Math.min(burst, Limit.MAX_PERMITS);
                    for (long used = 0; used < burst && used < 1_000 * once; used += once) {
                        long next = Math.min(once, burst - used);
                        assertThat(gate.pass(next).remaining()).as("%s", limit).isEqualTo(burst - used - next);
                    }
                    if (burst <= 1_000 * once) {
                        Demand patient = Demand.of(limit, "k", once).waitingUpTo(Demand.MAX_WAIT_MICROS);
                        for (int i = 0; i < 3; i++) {
                            Verdict verdict = decide(counts, patient).verdicts().get(0);
                            assertThat(verdict.fits() || verdict.retryAfterMicros() > 0)
                                    .isTrue();
                        }
                        assertThat(gate.tryPass(1)).isFalse();
                    }
                }
            }
        }
        micros.set(NOW);
    }

    @Test
    void aRefusedSlotNamesAMomentAtWhichItIsHadWhateverAWordCanTell() {
        LocalCounts counts = new LocalCounts(MicrosClock.steady(micros::get), 1_000);
        long burst = (1L << 61) / 86_400_000_000L;
        TokenBucket limit = Limit.named("x").tokenBucket(Rate.perDay(1)).withBurst(burst);
        decide(counts, Demand.of(limit, "k", burst));
        Demand patient = Demand.of(limit, "k", 600).waitingUpTo(Demand.MAX_WAIT_MICROS);
        Verdict refused = decide(counts, patient).verdicts().get(0);
        if (refused.fits()) {
            refused = decide(counts, patient).verdicts().get(0);
        }
        assertThat(refused.retryAfterMicros()).isPositive();
        micros.addAndGet(refused.retryAfterMicros() - 1);
        assertThat(decide(counts, patient).allowed()).isFalse();
        micros.addAndGet(1);
        assertThat(decide(counts, patient).allowed()).isTrue();
    }

    @Test
    void aGateSaysOfAnOverflowCountThatItsChargeIsFinal() {
        LocalCounts counts = new LocalCounts(MicrosClock.steady(micros::get), 1);
        TokenBucket limit = Limit.named("x").tokenBucket(Rate.perSecond(10)).withBurst(10);
        assertThat(new LocalGate(counts, limit, "first").pass(1).chargedAtMicros())
                .isEqualTo(NOW);
        assertThat(new LocalGate(counts, limit, "second").pass(1).chargedAtMicros())
                .isEqualTo(Verdict.FINAL);
        assertThat(new LocalGates(counts, limit).pass("second", 1).chargedAtMicros())
                .isEqualTo(Verdict.FINAL);
    }

    @Test
    void aClockThatThrowsDuringAChangeOfNumbersLeavesNoCountLocked() {
        AtomicBoolean broken = new AtomicBoolean();
        LocalCounts counts = new LocalCounts(
                MicrosClock.steady(() -> {
                    if (broken.get()) {
                        throw new IllegalStateException("no time");
                    }
                    return NOW;
                }),
                100);
        TokenBucket limit = Limit.named("x").tokenBucket(Rate.perSecond(10)).withBurst(10);
        decide(counts, Demand.of(limit, "k", 4));
        broken.set(true);
        assertThatThrownBy(() -> decide(counts, Demand.of(limit.withBurst(20), "k", 1)))
                .hasMessage("no time");
        broken.set(false);
        assertThat(decide(counts, Demand.of(limit.withBurst(20), "k", 1))
                        .verdicts()
                        .get(0)
                        .remaining())
                .isEqualTo(15);
    }

    @Test
    void whatManyLimitsHoldOnOverflowCountsCanAllBeGivenBack() {
        LocalCounts counts = new LocalCounts(MicrosClock.steady(micros::get), 1);
        decide(counts, Demand.of(Limit.named("x").tokenBucket(Rate.perDay(1)), "k", 1));
        List<Demand> demands = new ArrayList<>();
        for (int i = 0; i < 50; i++) {
            demands.add(Demand.of(Limit.named("x" + i).concurrency(1, Duration.ofDays(1)), "k", 1));
        }
        Ask ask = Ask.charging(demands);
        EngineDecision decided = counts.decide(ask);
        assertThat(decided.allowed()).isTrue();
        decided.charges(ask).forEach(charge -> {
            assertThat(counts.renew(charge)).as("%s", charge).isTrue();
            counts.giveBack(charge);
            assertThat(counts.renew(charge)).as("%s", charge).isFalse();
        });
    }

    @Test
    void whatFlowedBackAtAFasterRateIsNotGivenBackAgain() {
        LocalCounts counts = new LocalCounts(MicrosClock.steady(micros::get), 100);
        TokenBucket fast = Limit.named("x").tokenBucket(Rate.perSecond(10)).withBurst(10);
        TokenBucket slow = Limit.named("x").tokenBucket(Rate.perDay(1)).withBurst(10);
        Ask first = Ask.charging(List.of(Demand.of(fast, "k", 10)));
        List<Charge> charges = counts.decide(first).charges(first);
        micros.addAndGet(1_000_000);
        assertThat(decide(counts, Demand.of(slow, "k", 10)).allowed()).isTrue();
        charges.forEach(counts::giveBack);
        assertThat(decide(counts, Demand.of(slow, "k", 1)).allowed()).isFalse();
    }

    /** Sweeps, second searches, rehashed arrays and changes of numbers, compared with a map. */
    @Test
    void everyKeyKeepsItsCountWhateverHappensToTheTable() {
        Seeded random = Seeded.random("table");
        for (long round = Seeded.scaled(2, 100); round > 0; round--) {
            micros.set(NOW);
            LocalCounts counts = new LocalCounts(MicrosClock.steady(micros::get), 1_000_000);
            TokenBucket[] numbers = {
                Limit.named("x").tokenBucket(Rate.perSecond(10)).withBurst(10),
                Limit.named("x").tokenBucket(Rate.perSecond(10)).withBurst(20)
            };
            Map<String, BucketState> model = new HashMap<>();
            int keys = 2_000 + random.nextInt(6_000);
            for (int i = 0; i < 50_000; i++) {
                micros.addAndGet(random.nextInt(1_000));
                int number = random.nextInt(keys);
                String key = random.nextBoolean() ? colliding(number) : "k" + number;
                TokenBucket limit = numbers[random.oneIn(20) ? 1 : 0];
                Demand demand = Demand.of(limit, key, 1 + random.nextInt(5));
                BucketState aged =
                        model.getOrDefault(key, BucketState.fresh(micros.get())).at(limit.pace(), micros.get());
                long grant = TokenBuckets.grant(limit, aged, demand, micros.get());
                assertThat(decide(counts, demand).verdicts())
                        .as("%s: %s at step %d", random, key, i)
                        .containsExactly(TokenBuckets.verdict(limit, aged, demand, grant, grant > 0, micros.get()));
                model.put(key, aged.plus(grant));
            }
            assertThat(counts.size()).isLessThanOrEqualTo(2L * keys);
        }
    }

    private static long remaining(LocalCounts counts, Ask ask) {
        return counts.decide(ask.looking()).verdicts().get(0).remaining();
    }

    private static EngineDecision decide(LocalCounts counts, Demand demand) {
        return counts.decide(Ask.charging(List.of(demand)));
    }
}
