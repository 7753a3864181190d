package io.sluice.core.algorithm;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;

import io.sluice.core.Seeded;
import io.sluice.core.limit.LeakyBucket;
import io.sluice.core.limit.Limit;
import io.sluice.core.limit.Pace;
import io.sluice.core.limit.Rate;
import io.sluice.core.limit.TokenBucket;
import io.sluice.core.spi.Demand;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.math.MathContext;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * What flows in the long run. A count holds the used amount as a fraction. If it still equals what was admitted less what
 * flowed, to the last part, after any number of steps, then nothing can drift in the next step.
 */
final class LongRunTest {

    /**
     * Returns all rates, or those at the positions (from 1) that {@code -Dsluice.tests.rates=7,12} names, so that a run of days
     * can be split.
     */
    static Stream<Rate> rates() {
        List<Rate> rates = List.of(
                Rate.perDay(1),
                Rate.perDay(7),
                Rate.perHour(1),
                Rate.perMinute(7),
                Rate.perSecond(3),
                Rate.perSecond(333),
                Rate.perSecond(99_991),
                Rate.perSecond(9_999_991),
                Rate.perSecond(10_000_000),
                Rate.perHour(3_599_999_999L),
                new Rate(999_999_999_989L, Duration.ofDays(999)),
                new Rate(2_147_483_659L, Duration.ofSeconds(4_294)));
        String chosen = System.getProperty("sluice.tests.rates");
        return chosen == null
                ? rates.stream()
                : Stream.of(chosen.split(",")).map(place -> rates.get(Integer.parseInt(place.strip()) - 1));
    }

    @ParameterizedTest
    @MethodSource("rates")
    void whatIsUsedIsExactlyWhatWasAdmittedLessWhatFlowedAfterMillionsOfSteps(Rate rate) {
        Seeded random = Seeded.random("long run at " + rate);
        TokenBucket limit = Limit.named("x").tokenBucket(rate).withBurst(1_000);
        Demand greedy = Demand.of(limit, "k", 1_000).orAtLeast(1);
        Pace pace = limit.pace();
        long most = Math.max(1, pace.microsFor(900, 0));
        BucketState state = BucketState.fresh(Driven.NOW).at(pace, Driven.NOW).plus(1_000);
        long admitted = 1_000;
        long elapsed = 0;
        long steps = Seeded.scaled(500_000, 20_000_000);
        for (long i = 0; i < steps; i++) {
            // Short steps for variety and long ones for the length of the run, but never long enough to fill the
            // bucket.
            long step = i % 3 == 0 ? random.nextLong(most) + 1 : random.nextLong(3) + 1;
            elapsed += elapsed < 1L << 51 ? step : 1;
            BucketState aged = state.at(pace, Driven.NOW + elapsed);
            if (aged.isUnused()) {
                fail("%s: the bucket filled up", random);
            }
            long granted = TokenBuckets.grant(limit, aged, greedy, Driven.NOW + elapsed);
            state = aged.plus(granted);
            admitted += granted;
        }
        BigInteger micros = big(pace.micros());
        BigInteger used = big(state.used()).multiply(micros).add(big(state.parts()));
        assertThat(big(admitted).multiply(micros).subtract(used))
                .as("%s: parts that flowed", random)
                .isEqualTo(big(pace.permits()).multiply(big(elapsed)));
        long inFavour = big(rate.permits())
                .multiply(big(elapsed))
                .divide(big(rate.perMicros()))
                .longValueExact();
        assertThat(admitted).as("%s", random).isLessThanOrEqualTo(1_000 + inFavour);
        BigDecimal wanted =
                new BigDecimal(rate.permits()).divide(new BigDecimal(rate.perMicros()), MathContext.DECIMAL128);
        BigDecimal had = new BigDecimal(pace.permits()).divide(new BigDecimal(pace.micros()), MathContext.DECIMAL128);
        assertThat(wanted.subtract(had).divide(wanted, MathContext.DECIMAL128))
                .isBetween(new BigDecimal("-1e-30"), new BigDecimal("1e-9"));
    }

    @ParameterizedTest
    @MethodSource("rates")
    void slotsOfALeakyBucketKeepToTheRateForMillionsOfRequests(Rate rate) {
        LeakyBucket limit = Limit.named("x").leakyBucket(rate).withCapacity(1_000);
        Pace pace = limit.pace();
        Driven count = new Driven(limit);
        Demand one = Demand.of(limit, "k", 1);
        long now = Driven.NOW;
        // Always behind a queue, because a slot that nobody takes would be lost.
        long ahead = pace.microsFor(500, 0);
        long requests = Math.min(Seeded.scaled(50_000, 2_000_000), (1L << 51) / (1 + pace.microsFor(1, 0)));
        for (long i = 0; i < requests; i++) {
            long slot = Driven.NOW + pace.microsFor(i, 0);
            assertThat(now + count.ask(one, now).waitMicros()).isEqualTo(slot);
            now = Math.max(now, slot - ahead);
        }
    }

    private static BigInteger big(long value) {
        return BigInteger.valueOf(value);
    }
}
