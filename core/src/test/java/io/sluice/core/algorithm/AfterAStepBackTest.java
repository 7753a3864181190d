package io.sluice.core.algorithm;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.core.limit.Concurrency;
import io.sluice.core.limit.LeakyBucket;
import io.sluice.core.limit.Limit;
import io.sluice.core.limit.Rate;
import io.sluice.core.limit.TokenBucket;
import io.sluice.core.spi.Charge;
import io.sluice.core.spi.Demand;
import io.sluice.core.spi.Verdict;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Charges, give-backs and renewals on a clock that has stepped back; each is the first call to notice. */
final class AfterAStepBackTest {

    private static final long SECOND = 1_000_000;
    private static final long NOW = Driven.NOW / SECOND * SECOND;
    private static final long HOUR_AGO = NOW - 3_600 * SECOND;
    private static final Limit.Named X = Limit.named("x");

    static List<Limit> limits() {
        return List.of(
                X.tokenBucket(Rate.perSecond(1)).withBurst(10),
                X.leakyBucket(Rate.perSecond(1)).withCapacity(9),
                X.fixedWindow(10, Duration.ofSeconds(10)),
                X.slidingWindow(10, Duration.ofSeconds(10)),
                X.slidingWindow(10, Duration.ofSeconds(10)).asEstimate(),
                X.slidingLog(10, Duration.ofSeconds(10)),
                X.concurrency(10, Duration.ofSeconds(10)));
    }

    @ParameterizedTest
    @MethodSource("limits")
    void aChargeAtTheNewTimeTakesAlongWhatWasUsedAndLetsItEndFromThere(Limit limit) {
        Driven count = new Driven(limit);
        take(count, limit, 4, "a", NOW);
        take(count, limit, 3, "b", HOUR_AGO);
        assertThat(remaining(count, limit, HOUR_AGO)).isEqualTo(3);
        assertThat(remaining(count, limit, HOUR_AGO + 11 * SECOND)).isEqualTo(10);
        assertThat(count.isUnused(HOUR_AGO + 11 * SECOND)).isTrue();
    }

    @ParameterizedTest
    @MethodSource("limits")
    void aGiveBackAtTheNewTimeReturnsOnlyWhatIsKnownAndLetsTheRestEndFromThere(Limit limit) {
        Driven count = new Driven(limit);
        Charge charge = take(count, limit, 4, "a", NOW);
        take(count, limit, 3, "b", NOW);
        count.giveBack(charge, HOUR_AGO);
        count.refusedElsewhere(demand(limit, 1, "c"), HOUR_AGO);
        // For held permits, and for a bucket that has not been asked at the new time, the amount to give back is known.
        boolean known = limit instanceof Concurrency || limit instanceof TokenBucket || limit instanceof LeakyBucket;
        assertThat(remaining(count, limit, HOUR_AGO)).isEqualTo(known ? 7 : 3);
        assertThat(remaining(count, limit, HOUR_AGO + 11 * SECOND)).isEqualTo(10);
        assertThat(count.isUnused(HOUR_AGO + 11 * SECOND)).isTrue();
    }

    @ParameterizedTest
    @MethodSource("limits")
    void aLookAtAnotherTimeMeansNothingToAGiveBack(Limit limit) {
        Driven count = new Driven(limit);
        Charge charge = take(count, limit, 4, "a", NOW);
        take(count, limit, 3, "b", NOW);
        count.look(demand(limit, 1, "c"), HOUR_AGO);
        count.giveBack(charge, NOW);
        assertThat(remaining(count, limit, NOW)).isEqualTo(7);
    }

    @ParameterizedTest
    @MethodSource("limits")
    void whatIsChargedWhileTimeIsWaitedForCanBeGivenBack(Limit limit) {
        Driven count = new Driven(limit);
        take(count, limit, 4, "a", NOW);
        Charge charge = take(count, limit, 3, "b", NOW - SECOND / 2);
        assertThat(remaining(count, limit, NOW - SECOND / 2)).isEqualTo(3);
        count.giveBack(charge, NOW - SECOND / 2);
        assertThat(remaining(count, limit, NOW - SECOND / 2)).isEqualTo(6);
    }

    @Test
    void aRenewalAtTheNewTimeLetsOthersEndFromThere() {
        Limit limit = X.concurrency(10, Duration.ofSeconds(10));
        Driven count = new Driven(limit);
        take(count, limit, 4, "a", NOW);
        Charge charge = take(count, limit, 3, "b", NOW);
        assertThat(count.renew(charge, HOUR_AGO)).isTrue();
        assertThat(remaining(count, limit, HOUR_AGO + 10 * SECOND - 1)).isEqualTo(3);
        assertThat(remaining(count, limit, HOUR_AGO + 10 * SECOND)).isEqualTo(10);
    }

    @Test
    void timeIsNotWaitedForOnceAllIsGivenBack() {
        Limit limit = X.slidingWindow(10, Duration.ofMillis(100)).withSlices(1);
        Driven count = new Driven(limit);
        count.giveBack(take(count, limit, 4, "a", NOW), NOW);
        assertThat(take(count, limit, 3, "b", NOW - SECOND / 2).chargedAtMicros())
                .isEqualTo(NOW - SECOND / 2);
    }

    private static Charge take(Driven count, Limit limit, long permits, String holder, long micros) {
        Demand demand = demand(limit, permits, holder);
        Verdict verdict = count.ask(demand, micros);
        assertThat(verdict.granted()).isEqualTo(permits);
        return Driven.charge(demand, verdict);
    }

    private static long remaining(Driven count, Limit limit, long micros) {
        return count.look(demand(limit, 1, "nobody"), micros).remaining();
    }

    private static Demand demand(Limit limit, long permits, String holder) {
        Demand demand = Demand.of(limit, "k", permits).waitingUpTo(limit.maxWaitMicros());
        return limit instanceof Concurrency ? demand.heldBy(holder) : demand;
    }
}
