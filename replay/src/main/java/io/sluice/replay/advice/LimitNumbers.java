package io.sluice.replay.advice;

import io.sluice.core.limit.Calendar;
import io.sluice.core.limit.Concurrency;
import io.sluice.core.limit.FixedWindow;
import io.sluice.core.limit.LeakyBucket;
import io.sluice.core.limit.Limit;
import io.sluice.core.limit.Rate;
import io.sluice.core.limit.SlidingLog;
import io.sluice.core.limit.SlidingWindow;
import io.sluice.core.limit.TokenBucket;
import io.sluice.rules.document.Quantities;
import java.time.Duration;
import java.time.ZoneId;
import java.util.Optional;

/**
 * The number of each kind of limit: the burst of a token bucket, the capacity of a leaky bucket, and the limit of all others. Buckets
 * also have a rate.
 */
final class LimitNumbers {

    private LimitNumbers() {}

    /** Returns the rate; empty for limits that have none. */
    static Optional<Rate> rate(Limit limit) {
        if (limit instanceof TokenBucket bucket) {
            return Optional.of(bucket.rate());
        }
        return limit instanceof LeakyBucket bucket ? Optional.of(bucket.rate()) : Optional.empty();
    }

    /** Returns what rule documents call the number. */
    static String name(Limit limit) {
        return limit instanceof TokenBucket ? "burst" : limit instanceof LeakyBucket ? "capacity" : "limit";
    }

    /** Returns the number. */
    static long number(Limit limit) {
        if (limit instanceof TokenBucket bucket) {
            return bucket.burst();
        }
        return limit instanceof LeakyBucket bucket ? bucket.waiting() : limit.capacity();
    }

    /** Returns the largest number that the kind of limit can have. */
    static long largest(Limit limit) {
        if (limit instanceof SlidingLog) {
            return SlidingLog.MAX_LIMIT;
        }
        if (limit instanceof Concurrency) {
            return Concurrency.MAX_LIMIT;
        }
        return limit instanceof LeakyBucket ? Limit.MAX_CAPACITY - 1 : Limit.MAX_CAPACITY;
    }

    /**
     * Returns the smallest number that has room for a need.
     *
     * @param limit the limit with the rate that the need was measured at
     * @param need the most permits that counted at one moment
     * @param permits the most permits that one request asks for
     */
    static long number(Limit limit, long need, long permits) {
        if (limit instanceof LeakyBucket) {
            return Math.max(0, need - 1);
        }
        if (limit instanceof TokenBucket bucket && bucket.maxWaitMicros() > 0) {
            // Permits that flow within the wait are granted in advance.
            return Math.max(permits, need - bucket.pace().wholeIn(bucket.maxWaitMicros()));
        }
        return need;
    }

    /** Returns the largest need that a number has room for, see {@link #number}. */
    static long need(Limit limit, long number) {
        if (limit instanceof LeakyBucket) {
            return number + 1;
        }
        return limit instanceof TokenBucket bucket ? number + bucket.pace().wholeIn(bucket.maxWaitMicros()) : number;
    }

    /**
     * Returns the limit with other numbers. Its name, its window and its waits stay.
     *
     * @param rate only used for limits that have one
     */
    static Limit with(Limit limit, Optional<Rate> rate, long number) {
        Limit.Named named = Limit.named(limit.name());
        if (limit instanceof TokenBucket bucket) {
            return named.tokenBucket(rate.orElse(bucket.rate()))
                    .withBurst(number)
                    .withMaxWait(Quantities.ofMicros(bucket.maxWaitMicros()));
        } else if (limit instanceof LeakyBucket bucket) {
            LeakyBucket usual = bucket.withCapacity(bucket.waiting());
            LeakyBucket other = named.leakyBucket(rate.orElse(bucket.rate())).withCapacity(number);
            return usual.maxWaitMicros() == bucket.maxWaitMicros()
                    ? other
                    : other.withMaxWait(Quantities.ofMicros(bucket.maxWaitMicros()));
        } else if (limit instanceof FixedWindow fixed) {
            Calendar calendar = fixed.calendar();
            ZoneId zone = fixed.zone();
            return calendar != null && zone != null
                    ? named.fixedWindow(number, calendar, zone)
                    : named.fixedWindow(number, Quantities.ofMicros(fixed.windowMicros()));
        } else if (limit instanceof SlidingWindow sliding) {
            return new SlidingWindow(limit.name(), number, sliding.window(), sliding.slices(), sliding.weighted());
        } else if (limit instanceof SlidingLog log) {
            return named.slidingLog(number, log.window());
        }
        return named.concurrency(number, ((Concurrency) limit).ttl());
    }

    /** Returns the limit with the largest number less {@code less}, and without a wait of its own, so that it refuses nobody. */
    static Limit open(Limit limit, Optional<Rate> rate, long less) {
        long number = largest(limit) - less;
        Limit.Named named = Limit.named(limit.name());
        if (limit instanceof TokenBucket bucket) {
            return named.tokenBucket(rate.orElse(bucket.rate())).withBurst(number);
        }
        return limit instanceof LeakyBucket bucket
                ? named.leakyBucket(rate.orElse(bucket.rate())).withCapacity(number)
                : with(limit, rate, number);
    }

    /** Returns the limit under another name. */
    static Limit named(Limit limit, String name) {
        if (limit instanceof TokenBucket bucket) {
            return Limit.named(name)
                    .tokenBucket(bucket.rate())
                    .withBurst(bucket.burst())
                    .withMaxWait(Quantities.ofMicros(bucket.maxWaitMicros()));
        } else if (limit instanceof LeakyBucket bucket) {
            return Limit.named(name)
                    .leakyBucket(bucket.rate())
                    .withCapacity(bucket.waiting())
                    .withMaxWait(Quantities.ofMicros(bucket.maxWaitMicros()));
        } else if (limit instanceof FixedWindow fixed) {
            Calendar calendar = fixed.calendar();
            ZoneId zone = fixed.zone();
            Duration window = Quantities.ofMicros(fixed.windowMicros());
            return calendar != null && zone != null
                    ? Limit.named(name).fixedWindow(fixed.capacity(), calendar, zone)
                    : Limit.named(name).fixedWindow(fixed.capacity(), window);
        } else if (limit instanceof SlidingWindow sliding) {
            return new SlidingWindow(name, sliding.limit(), sliding.window(), sliding.slices(), sliding.weighted());
        } else if (limit instanceof SlidingLog log) {
            return new SlidingLog(name, log.limit(), log.window());
        }
        throw new IllegalArgumentException("limit: " + limit + " (expected: one that holds nothing)");
    }
}
