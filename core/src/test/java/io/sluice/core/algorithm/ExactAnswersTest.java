package io.sluice.core.algorithm;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.core.limit.Calendar;
import io.sluice.core.limit.Limit;
import io.sluice.core.limit.Pace;
import io.sluice.core.limit.Rate;
import io.sluice.core.limit.TokenBucket;
import io.sluice.core.limit.Windows;
import io.sluice.core.spi.Charge;
import io.sluice.core.spi.Demand;
import io.sluice.core.spi.Verdict;
import java.math.BigInteger;
import java.time.Duration;
import java.time.ZoneOffset;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Answers worked out by hand, at the edges that mutation testing found unguarded. */
final class ExactAnswersTest {

    private static final long NOW = Driven.NOW;
    private static final long SECOND = 1_000_000;
    private static final Limit.Named X = Limit.named("x");

    @Test
    void aBucketTakesReservationsUpToTheWaitItIsAllowedAndNotAMicrosecondLonger() {
        Limit limit = X.tokenBucket(Rate.perSecond(1)).withBurst(3);
        Driven bucket = new Driven(limit);
        bucket.ask(Demand.of(limit, "k", 3), NOW);
        assertThat(bucket.ask(Demand.of(limit, "k", 2).waitingUpTo(2 * SECOND - 1), NOW)
                        .fits())
                .isFalse();
        Verdict slot = bucket.ask(Demand.of(limit, "k", 2).waitingUpTo(2 * SECOND), NOW);
        assertThat(slot).isEqualTo(new Verdict(true, 2, 0, 0, 5 * SECOND, 2 * SECOND, NOW));
        assertThat(bucket.ask(Demand.of(limit, "k", 3).waitingUpTo(5 * SECOND), NOW)
                        .waitMicros())
                .isEqualTo(5 * SECOND);
        assertThat(bucket.ask(Demand.of(limit, "k", 4).waitingUpTo(100 * SECOND), NOW))
                .isEqualTo(new Verdict(false, 0, 0, Verdict.NEVER, 8 * SECOND, 0, NOW));
    }

    @Test
    void aBucketGrantsWhatIsThereToADemandThatAcceptsLess() {
        Limit limit = X.tokenBucket(Rate.perSecond(1)).withBurst(3);
        Driven bucket = new Driven(limit);
        assertThat(bucket.ask(Demand.of(limit, "k", 5).orAtLeast(3), NOW).granted())
                .isEqualTo(3);
        assertThat(bucket.ask(Demand.of(limit, "k", 5).orAtLeast(1), NOW + SECOND - 1)
                        .fits())
                .isFalse();
        assertThat(bucket.ask(Demand.of(limit, "k", 5).orAtLeast(1), NOW + SECOND)
                        .granted())
                .isEqualTo(1);
    }

    @Test
    void aChangeOfRateCarriesFractionsOverRoundedUp() {
        Limit thirds = X.tokenBucket(new Rate(1, Driven.micros(3))).withBurst(10);
        Limit halves = X.tokenBucket(new Rate(1, Driven.micros(2))).withBurst(10);
        Driven bucket = new Driven(thirds);
        bucket.ask(Demand.of(thirds, "k", 5), NOW);
        // 5 2/3 are used; that is 6 when rounded up to halves, and no time has passed since they were written.
        bucket.ask(Demand.of(thirds, "k", 1), NOW + 1);
        assertThat(bucket.look(Demand.of(halves, "k", 1), NOW + 1))
                .isEqualTo(new Verdict(true, 0, 4, 0, 12, 0, NOW + 1));
        // A microsecond later it is a third less, 5 1/3; that is 5 1/2 in halves.
        assertThat(bucket.look(Demand.of(halves, "k", 1), NOW + 2).resetAfterMicros())
                .isEqualTo(11);
        assertThat(bucket.look(Demand.of(thirds, "k", 1), NOW + 1).resetAfterMicros())
                .isEqualTo(17);
        Pace slow = new Pace(1, 3);
        Pace fast = new Pace(1, 2);
        assertThat(state(4, 2, slow).at(fast, NOW)).isEqualTo(state(5, 0, fast, NOW));
        assertThat(state(4, 1, slow).at(fast, NOW)).isEqualTo(state(4, 1, fast, NOW));
        assertThat(state(4, 1, slow).at(new Pace(1, 100), NOW)).isEqualTo(state(4, 34, new Pace(1, 100), NOW));
        assertThat(state(4, 0, slow).at(fast, NOW)).isEqualTo(state(4, 0, fast, NOW));
        assertThat(state(4, 2, slow).at(new Pace(2, 3), NOW)).isEqualTo(state(4, 2, new Pace(2, 3), NOW));
    }

    private static BucketState state(long used, long parts, Pace pace) {
        return state(used, parts, pace, NOW - 100);
    }

    private static BucketState state(long used, long parts, Pace pace, long since) {
        return new BucketState(used, parts, pace, NOW, since);
    }

    @Test
    void aBucketAgesAtTheRateThatItWasWrittenWithUntilAnotherIsAskedFor() {
        Pace slow = new Pace(1, 3);
        Pace fast = new Pace(5, 2);
        // In 7 us, 2 1/3 flow at the slow rate and 17 1/2 at the fast one.
        assertThat(state(20, 1, slow).at(fast, NOW + 7)).isEqualTo(new BucketState(18, 0, fast, NOW + 7, NOW + 7));
        assertThat(state(20, 1, fast).at(slow, NOW + 7)).isEqualTo(new BucketState(3, 0, slow, NOW + 7, NOW + 7));
        assertThat(state(2, 1, slow).at(fast, NOW + 8)).isEqualTo(new BucketState(0, 0, fast, NOW + 8, NOW + 8));
        // Clamped time brings no flow, and a large step back rebases what is left.
        assertThat(state(20, 1, slow).at(fast, NOW - 5)).isEqualTo(state(20, 1, fast, NOW));
        long back = NOW - 2 * SECOND;
        assertThat(state(20, 1, slow).at(fast, back)).isEqualTo(new BucketState(20, 1, fast, back, NOW + 1));
    }

    @Test
    void aRateOfNothingLeavesTheRateThatABucketHas() {
        Pace thirds = new Pace(1, 3);
        Pace nothing = Pace.of(0, SECOND);
        BucketState state = state(4, 1, thirds);
        BucketState aged = state.at(nothing, NOW + 2);
        assertThat(aged).isEqualTo(new BucketState(3, 2, thirds, NOW + 2, NOW - 100));
        assertThat(state.refused(aged)).isSameAs(state);
    }

    @Test
    void aRefusalAtAnotherRateWritesThatRateDownAndALookDoesNot() {
        TokenBucket thirds = X.tokenBucket(new Rate(1, Driven.micros(3))).withBurst(10);
        Limit halves = X.tokenBucket(new Rate(1, Driven.micros(2))).withBurst(10);
        Count bucket = Count.of(thirds, state(4, 1, new Pace(1, 3)));
        Demand one = Demand.of(thirds, "k", 1);
        assertThat(bucket.grant(Demand.of(halves, "k", 10), NOW)).isZero();
        assertThat(bucket.verdict(one, bucket.grant(one, NOW), false, NOW))
                .isEqualTo(new Verdict(true, 0, 5, 0, 13, 0, NOW));
        bucket.grant(Demand.of(halves, "k", 10), NOW);
        bucket.refuse(NOW);
        // 4 1/2 are used. In 3 us they become 3, and the same in thirds.
        bucket.grant(one, NOW + 3);
        bucket.refuse(NOW + 3);
        assertThat(bucket.verdict(one, bucket.grant(one, NOW + 3), false, NOW + 3))
                .isEqualTo(new Verdict(true, 0, 7, 0, 9, 0, NOW + 3));
    }

    @Test
    void aBucketNamesTheSlotForAllOrTheMomentForEnoughWhicheverIsFirst() {
        Limit limit = X.tokenBucket(Rate.perSecond(1)).withBurst(3);
        Driven bucket = new Driven(limit);
        bucket.ask(Demand.of(limit, "k", 3), NOW);
        Demand all = Demand.of(limit, "k", 3).orAtLeast(2).waitingUpTo(SECOND / 2);
        assertThat(bucket.look(all, NOW).retryAfterMicros()).isEqualTo(2 * SECOND);
        Demand patient = all.waitingUpTo(2 * SECOND + SECOND / 2);
        assertThat(bucket.look(patient, NOW).retryAfterMicros()).isEqualTo(SECOND / 2);
        assertThat(bucket.look(patient, NOW + SECOND / 2 - 1).fits()).isFalse();
        assertThat(bucket.ask(patient, NOW + SECOND / 2).waitMicros()).isEqualTo(patient.maxWaitMicros());
        Demand tooMany = Demand.of(limit, "k", 4).orAtLeast(1).waitingUpTo(5 * SECOND);
        assertThat(bucket.look(tooMany, NOW + SECOND).retryAfterMicros()).isEqualTo(3 * SECOND);
    }

    @Test
    void aDemandRefusedByALeakyBucketGetsNoSlot() {
        Limit limit = X.leakyBucket(Rate.perSecond(1)).withCapacity(0);
        Driven bucket = new Driven(limit);
        bucket.ask(Demand.of(limit, "k", 1), NOW);
        assertThat(bucket.ask(Demand.of(limit, "k", 1), NOW + 1))
                .isEqualTo(new Verdict(false, 0, 0, SECOND - 1, SECOND - 1, 0, NOW + 1));
    }

    @Test
    void aBucketGivesBackWhatHasNotFlowedYetToTheLastPart() {
        Pace thirds = new Pace(1, 3);
        BucketState state = state(4, 1, thirds);
        // Of 3 permits charged 2 us ago, 2 1/3 are left.
        assertThat(state.giveBack(3, NOW - 2, NOW)).isEqualTo(state(2, 0, thirds));
        assertThat(state.giveBack(3, NOW - 1, NOW)).isEqualTo(state(1, 2, thirds));
        assertThat(state.giveBack(3, NOW, NOW)).isEqualTo(state(1, 1, thirds));
        assertThat(state.giveBack(3, NOW + 5, NOW)).isEqualTo(state(1, 1, thirds));
        assertThat(state.giveBack(3, NOW - 9, NOW)).isEqualTo(state);
        assertThat(state.giveBack(9, NOW, NOW)).isEqualTo(state(0, 0, thirds));
        assertThat(state.giveBack(3, NOW + SECOND, NOW)).isEqualTo(state(1, 1, thirds));
        assertThat(state.giveBack(3, NOW + SECOND + 1, NOW)).isEqualTo(state);
        assertThat(state(4, 1, new Pace(0, 3)).giveBack(3, NOW, NOW)).isEqualTo(state(4, 1, new Pace(0, 3)));
        // Since it was written, two thirds more have flowed.
        assertThat(state.giveBack(3, NOW - 2, NOW + 2)).isEqualTo(state(2, 2, thirds));
        assertThat(state.giveBack(50, NOW - 100, NOW)).isEqualTo(state(0, 0, thirds));
        assertThat(state.giveBack(50, NOW - 101, NOW)).isEqualTo(state);
    }

    /** How much of a charge has flowed is known only while the rate stays the same and time moves forward. */
    @Test
    void whatWasChargedBeforeAChangeOfRateOrOfTheClockIsNotGivenBackAfterIt() {
        TokenBucket fast = X.tokenBucket(Rate.perSecond(10)).withBurst(10);
        TokenBucket slow = X.tokenBucket(Rate.perDay(1)).withBurst(10);
        Driven bucket = new Driven(fast);
        Charge first = charged(bucket, Demand.of(fast, "k", 1), NOW);
        Charge second = charged(bucket, Demand.of(slow, "k", 9), NOW + 1);
        bucket.giveBack(first, NOW + SECOND);
        assertThat(bucket.look(Demand.of(slow, "k", 1), NOW + SECOND).remaining())
                .isEqualTo(0);
        bucket.giveBack(second, NOW + SECOND);
        assertThat(bucket.look(Demand.of(slow, "k", 1), NOW + SECOND).remaining())
                .isEqualTo(9);

        // A day forward, in which a permit flows, and back again.
        Driven jumping = new Driven(slow);
        Charge early = charged(jumping, Demand.of(slow, "k", 9), NOW);
        Charge late = charged(jumping, Demand.of(slow, "k", 2), NOW + 86_400 * SECOND);
        assertThat(jumping.ask(Demand.of(slow, "k", 1), NOW + SECOND).fits()).isFalse();
        jumping.giveBack(early, NOW + 2 * SECOND);
        jumping.giveBack(late, NOW + 2 * SECOND);
        assertThat(jumping.look(Demand.of(slow, "k", 1), NOW + 2 * SECOND).fits())
                .isFalse();
    }

    private static Charge charged(Driven count, Demand demand, long micros) {
        return Driven.charge(demand, count.ask(demand, micros));
    }

    @Test
    void aStepBackOfASecondIsWaitedOutAndALongerOneIsNot() {
        for (Limit limit : List.of(
                X.tokenBucket(Rate.perSecond(1)).withBurst(1),
                X.leakyBucket(Rate.perSecond(1)).withCapacity(0),
                X.slidingLog(1, Duration.ofSeconds(1)))) {
            Driven waits = new Driven(limit);
            waits.ask(Demand.of(limit, "k", 1), NOW);
            assertThat(waits.ask(Demand.of(limit, "k", 1), NOW - SECOND).retryAfterMicros())
                    .as("%s", limit)
                    .isEqualTo(2 * SECOND);
            Driven goesOn = new Driven(limit);
            goesOn.ask(Demand.of(limit, "k", 1), NOW);
            assertThat(goesOn.ask(Demand.of(limit, "k", 1), NOW - SECOND - 1).retryAfterMicros())
                    .as("%s", limit)
                    .isEqualTo(SECOND);
            assertThat(goesOn.ask(Demand.of(limit, "k", 1), NOW - 1).fits())
                    .as("%s", limit)
                    .isTrue();
        }
    }

    @Test
    void aFixedWindowKeepsItsWindowThroughASecondAndTakesWhatWasUsedAlongBeyond() {
        Limit limit = X.fixedWindow(5, Duration.ofSeconds(10));
        long boundary = NOW / (10 * SECOND) * 10 * SECOND;
        Driven waits = new Driven(limit);
        waits.ask(Demand.of(limit, "k", 3), boundary);
        assertThat(waits.ask(Demand.of(limit, "k", 3), boundary - SECOND))
                .isEqualTo(new Verdict(false, 0, 2, 11 * SECOND, 11 * SECOND, 0, boundary));
        assertThat(waits.ask(Demand.of(limit, "k", 2), boundary).fits()).isTrue();
        Driven goesOn = new Driven(limit);
        goesOn.ask(Demand.of(limit, "k", 3), boundary);
        assertThat(goesOn.ask(Demand.of(limit, "k", 3), boundary - SECOND - 1))
                .isEqualTo(new Verdict(false, 0, 2, SECOND + 1, SECOND + 1, 0, boundary - SECOND - 1));
        assertThat(goesOn.look(Demand.of(limit, "k", 5), boundary).fits()).isTrue();
        assertThat(waits.look(Demand.of(limit, "k", 1), boundary + 7).chargedAtMicros())
                .isEqualTo(boundary + 7);
        Driven early = new Driven(limit);
        early.ask(Demand.of(limit, "k", 3), boundary + 5);
        early.giveBack(new Charge(limit, "k", 3, boundary - 1, ""), boundary + 6);
        assertThat(early.look(Demand.of(limit, "k", 3), boundary + 6).fits()).isFalse();
    }

    @Test
    void aSlidingWindowMovesAllToTheNewTimeAfterALargeStepBack() {
        Limit strict = X.slidingWindow(10, Duration.ofSeconds(10));
        Limit weighted = X.slidingWindow(10, Duration.ofSeconds(10)).asEstimate();
        long slice = NOW / SECOND * SECOND;
        for (Limit limit : List.of(strict, weighted)) {
            Driven count = new Driven(limit);
            count.ask(Demand.of(limit, "k", 4), slice - 5 * SECOND);
            count.ask(Demand.of(limit, "k", 6), slice);
            long now = slice - 60 * SECOND;
            Verdict refused = count.ask(Demand.of(limit, "k", 5), now);
            assertThat(refused.resetAfterMicros()).isEqualTo(11 * SECOND);
            assertThat(refused.retryAfterMicros()).isEqualTo(limit == strict ? 11 * SECOND : 10 * SECOND + SECOND / 2);
            assertThat(count.look(Demand.of(limit, "k", 5), now + refused.retryAfterMicros() - 1)
                            .fits())
                    .isFalse();
            assertThat(count.look(Demand.of(limit, "k", 5), now + refused.retryAfterMicros())
                            .fits())
                    .isTrue();
            Driven moved = new Driven(limit);
            moved.ask(Demand.of(limit, "k", 4), slice - 5 * SECOND);
            moved.ask(Demand.of(limit, "k", 2), slice);
            moved.ask(Demand.of(limit, "k", 10), now);
            assertThat(moved.look(Demand.of(limit, "k", 1), now).remaining()).isEqualTo(4);
            Driven near = new Driven(limit);
            near.ask(Demand.of(limit, "k", 10), slice);
            assertThat(near.ask(Demand.of(limit, "k", 10), slice - SECOND).resetAfterMicros())
                    .isEqualTo(12 * SECOND);
            assertThat(near.ask(Demand.of(limit, "k", 10), slice - SECOND - 1).resetAfterMicros())
                    .isEqualTo(10 * SECOND + 1);
        }
    }

    @Test
    void aSlidingWindowGivesBackToTheSliceThatWasCharged() {
        Limit limit = X.slidingWindow(10, Duration.ofSeconds(10));
        long slice = NOW / SECOND * SECOND;
        Driven count = new Driven(limit);
        count.ask(Demand.of(limit, "k", 4), slice);
        count.ask(Demand.of(limit, "k", 6), slice + 2 * SECOND);
        count.giveBack(new Charge(limit, "k", 4, slice, ""), slice + 10 * SECOND);
        assertThat(count.look(Demand.of(limit, "k", 1), slice + 10 * SECOND).remaining())
                .isEqualTo(4);
        count.giveBack(new Charge(limit, "k", 6, slice + 2 * SECOND, ""), slice + 11 * SECOND);
        assertThat(count.look(Demand.of(limit, "k", 1), slice + 11 * SECOND))
                .isEqualTo(new Verdict(true, 0, 10, 0, 0, 0, slice + 11 * SECOND));
        Driven oldest = new Driven(limit);
        oldest.ask(Demand.of(limit, "k", 4), slice);
        oldest.ask(Demand.of(limit, "k", 6), slice + 10 * SECOND);
        oldest.giveBack(new Charge(limit, "k", 4, slice, ""), slice + 10 * SECOND);
        assertThat(oldest.look(Demand.of(limit, "k", 1), slice + 10 * SECOND).remaining())
                .isEqualTo(4);
        Driven late = new Driven(limit);
        late.ask(Demand.of(limit, "k", 4), slice);
        late.ask(Demand.of(limit, "k", 6), slice + 11 * SECOND);
        late.giveBack(new Charge(limit, "k", 4, slice, ""), slice + 11 * SECOND);
        assertThat(late.look(Demand.of(limit, "k", 1), slice + 11 * SECOND).remaining())
                .isEqualTo(4);
        Driven emptied = new Driven(limit);
        emptied.ask(Demand.of(limit, "k", 2), slice);
        emptied.ask(Demand.of(limit, "k", 3), slice + 5 * SECOND);
        emptied.giveBack(new Charge(limit, "k", 3, slice + 5 * SECOND, ""), slice + 5 * SECOND);
        assertThat(emptied.look(Demand.of(limit, "k", 1), slice + 5 * SECOND).resetAfterMicros())
                .isEqualTo(6 * SECOND);
        // Everything after the charge is gone, so time may be before it again without waiting.
        assertThat(emptied.look(Demand.of(limit, "k", 9), slice + 4 * SECOND).retryAfterMicros())
                .isEqualTo(7 * SECOND);
    }

    @Test
    void theWeightOfASliceIsRoundedUpHoweverLargeTheNumbers() {
        long capacity = Limit.MAX_CAPACITY;
        Limit limit =
                X.slidingWindow(capacity, Duration.ofDays(1_000)).withSlices(1).asEstimate();
        long length = limit.windowMicros();
        long start = NOW / length * length;
        Driven count = new Driven(limit);
        for (int i = 0; i < 1_000; i++) {
            count.ask(Demand.of(limit, "k", Limit.MAX_PERMITS), start);
        }
        for (long into : new long[] {1, 12_345_678_901L, length / 3, length - 1}) {
            BigInteger[] weight = BigInteger.valueOf(capacity)
                    .multiply(BigInteger.valueOf(length - into))
                    .divideAndRemainder(BigInteger.valueOf(length));
            long counted = weight[0].longValueExact() + (weight[1].signum() > 0 ? 1 : 0);
            assertThat(count.look(Demand.of(limit, "k", 1), start + length + into)
                            .remaining())
                    .isEqualTo(capacity - counted);
        }
        long retry = count.look(Demand.of(limit, "k", Limit.MAX_PERMITS), start + length)
                .retryAfterMicros();
        assertThat(count.look(Demand.of(limit, "k", Limit.MAX_PERMITS), start + length + retry)
                        .fits())
                .isTrue();
        assertThat(count.look(Demand.of(limit, "k", Limit.MAX_PERMITS), start + length + retry - 1)
                        .fits())
                .isFalse();
    }

    @Test
    void theWeightOfASliceIsRightWhereItsProductJustFillsALongOrJustDoesNot() {
        long length = Duration.ofDays(1_000).toNanos() / 1_000;
        long left = length - 1;
        // The first just fits into a long, but not once it is rounded up. The others exceed a long, but not its bits.
        for (long permits : new long[] {Long.MAX_VALUE / left, Long.MAX_VALUE / left + 1, 200_000}) {
            Limit limit = X.slidingWindow(1_000_000, Duration.ofDays(1_000))
                    .withSlices(1)
                    .asEstimate();
            long start = NOW / length * length;
            Driven count = new Driven(limit);
            count.ask(Demand.of(limit, "k", permits), start);
            // A microsecond short of the whole slice: the part that counts is rounded up to all of it.
            assertThat(count.look(Demand.of(limit, "k", 1), start + length + 1).remaining())
                    .as("%d permits", permits)
                    .isEqualTo(1_000_000 - permits);
        }
    }

    @Test
    void aLogGivesBackOnlyWhatWasAdmittedAtTheTimeOfTheCharge() {
        Limit limit = X.slidingLog(10, Duration.ofSeconds(10));
        Driven log = new Driven(limit);
        for (int i = 0; i < 10; i++) {
            log.ask(Demand.of(limit, "k", 1), i < 5 ? NOW : NOW + SECOND);
        }
        log.giveBack(new Charge(limit, "k", 3, NOW, ""), NOW + SECOND);
        assertThat(log.look(Demand.of(limit, "k", 1), NOW + SECOND).remaining()).isEqualTo(3);
        log.giveBack(new Charge(limit, "k", 9, NOW, ""), NOW + SECOND);
        assertThat(log.look(Demand.of(limit, "k", 1), NOW + SECOND).remaining()).isEqualTo(5);
        log.giveBack(new Charge(limit, "k", 9, NOW + SECOND, ""), NOW + SECOND);
        assertThat(log.look(Demand.of(limit, "k", 10), NOW + SECOND))
                .isEqualTo(new Verdict(true, 0, 10, 0, 0, 0, NOW + SECOND));
    }

    @Test
    void aPermitIsHeldUntilItEndsAndRenewedOnlyWhileItIs() {
        Limit limit = X.concurrency(2, Duration.ofSeconds(10));
        Driven count = new Driven(limit);
        Demand demand = Demand.of(limit, "k", 2).heldBy("me");
        Charge charge = Driven.charge(demand, count.ask(demand, NOW));
        assertThat(count.isUnused(NOW + 10 * SECOND - 1)).isFalse();
        assertThat(count.isUnused(NOW + 10 * SECOND)).isTrue();
        assertThat(count.renew(new Charge(limit, "k", 2, NOW, "you"), NOW)).isFalse();
        assertThat(count.renew(charge, NOW + 9 * SECOND)).isTrue();
        assertThat(count.ask(Demand.of(limit, "k", 1), NOW + 11 * SECOND).retryAfterMicros())
                .isEqualTo(8 * SECOND);
        assertThat(count.renew(charge, NOW + 19 * SECOND)).isFalse();
        Driven stepped = new Driven(limit);
        stepped.ask(demand, NOW);
        assertThat(stepped.ask(Demand.of(limit, "k", 1), NOW - SECOND).retryAfterMicros())
                .isEqualTo(11 * SECOND);
        assertThat(stepped.ask(Demand.of(limit, "k", 1), NOW - SECOND - 1).retryAfterMicros())
                .isEqualTo(10 * SECOND);
        stepped.giveBack(charge, NOW - SECOND - 1);
        assertThat(stepped.isUnused(NOW - SECOND - 1)).isTrue();
    }

    @Test
    void onlyHeldPermitsAreRenewed() {
        for (int kind = 0; kind < Driven.KINDS - 1; kind++) {
            Limit limit = List.of(
                            X.tokenBucket(Rate.perSecond(1)),
                            X.leakyBucket(Rate.perSecond(1)),
                            X.fixedWindow(1, Duration.ofSeconds(1)),
                            X.fixedWindow(1, Calendar.DAY, ZoneOffset.UTC),
                            X.slidingWindow(1, Duration.ofSeconds(1)),
                            X.slidingWindow(1, Duration.ofSeconds(1)).asEstimate(),
                            X.slidingLog(1, Duration.ofSeconds(1)))
                    .get(kind);
            Driven count = new Driven(limit);
            Demand demand = Demand.of(limit, "k", 1);
            assertThat(count.renew(Driven.charge(demand, count.ask(demand, NOW)), NOW))
                    .isFalse();
        }
    }

    @Test
    void windowsKnowTheirUsualLength() {
        assertThat(Windows.of(7).usualMicros()).isEqualTo(7);
        assertThat(Windows.of(7).areEven()).isTrue();
        assertThat(Windows.of(Calendar.WEEK, ZoneOffset.UTC).usualMicros()).isEqualTo(7 * 86_400 * SECOND);
        assertThat(Windows.of(Calendar.WEEK, ZoneOffset.UTC).areEven()).isFalse();
    }
}
