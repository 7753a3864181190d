package io.sluice.core.decorator;

import io.sluice.core.limit.FixedWindow;
import io.sluice.core.limit.LeakyBucket;
import io.sluice.core.limit.Limit;
import io.sluice.core.limit.Pace;
import io.sluice.core.limit.Rate;
import io.sluice.core.limit.SlidingLog;
import io.sluice.core.limit.SlidingWindow;
import io.sluice.core.limit.TokenBucket;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.math.RoundingMode;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.Objects;

/**
 * Multiplies the numbers of a limit, rounded in favour of the caller. The result is never less than the limit, nor more than a
 * limit can have.
 */
final class EnlargedLimit {

    private EnlargedLimit() {}

    /**
     * @param times at least 1
     */
    static Limit of(Limit limit, double times) {
        Limit.Named named = Limit.named(limit.name());
        if (limit instanceof TokenBucket bucket) {
            return named.tokenBucket(of(bucket.rate(), times))
                    .withBurst(of(bucket.burst(), times, Limit.MAX_CAPACITY))
                    .withMaxWait(micros(bucket.maxWaitMicros()));
        } else if (limit instanceof LeakyBucket bucket) {
            return named.leakyBucket(of(bucket.rate(), times))
                    .withCapacity(of(bucket.waiting(), times, Limit.MAX_CAPACITY - 1))
                    .withMaxWait(micros(bucket.maxWaitMicros()));
        } else if (limit instanceof FixedWindow window) {
            long more = of(window.capacity(), times, Limit.MAX_CAPACITY);
            return window.calendar() == null
                    ? named.fixedWindow(more, micros(window.windowMicros()))
                    : named.fixedWindow(more, window.calendar(), Objects.requireNonNull(window.zone()));
        } else if (limit instanceof SlidingWindow window) {
            long more = of(window.limit(), times, Limit.MAX_CAPACITY);
            return new SlidingWindow(window.name(), more, window.window(), window.slices(), window.weighted());
        } else if (limit instanceof SlidingLog log) {
            return named.slidingLog(of(log.limit(), times, SlidingLog.MAX_LIMIT), log.window());
        }
        return limit;
    }

    private static long of(long whole, double times, long most) {
        return new BigDecimal(whole)
                .multiply(new BigDecimal(times))
                .setScale(0, RoundingMode.CEILING)
                .min(new BigDecimal(most))
                .longValueExact();
    }

    /** Returns the same permits in less time, or the rate itself if no limit can have a faster one. */
    private static Rate of(Rate rate, double times) {
        long micros = new BigDecimal(rate.perMicros())
                .divide(new BigDecimal(times), 0, RoundingMode.FLOOR)
                .longValueExact();
        if (micros < 1 || rate.permits() / micros >= Rate.MAX_PERMITS_PER_MICRO) {
            return rate;
        }
        Rate faster = new Rate(rate.permits(), micros(micros));
        return isSlower(pace(faster), pace(rate)) ? rate : faster;
    }

    /** Engines round rates down, so a slightly faster rate may turn out slower. */
    private static boolean isSlower(Pace one, Pace other) {
        BigInteger left = BigInteger.valueOf(one.permits()).multiply(BigInteger.valueOf(other.micros()));
        return left.compareTo(BigInteger.valueOf(other.permits()).multiply(BigInteger.valueOf(one.micros()))) < 0;
    }

    private static Pace pace(Rate rate) {
        return Pace.of(rate.permits(), rate.perMicros());
    }

    private static Duration micros(long micros) {
        return Duration.of(micros, ChronoUnit.MICROS);
    }
}
