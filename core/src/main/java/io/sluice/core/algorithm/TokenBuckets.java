package io.sluice.core.algorithm;

import io.sluice.core.limit.Pace;
import io.sluice.core.limit.TokenBucket;
import io.sluice.core.spi.Demand;
import io.sluice.core.spi.Verdict;

/**
 * The arithmetic of {@link TokenBucket} on a {@link BucketState} aged to the present. The Lua twin is
 * {@code token_bucket.lua}; golden vectors keep the two the same.
 *
 * <p>Rounding is defined here once. Used permits are counted exactly. {@code remaining} is rounded down. Waits are rounded up
 * to the next microsecond: the reported wait is the first moment at which the demand passes.
 */
public final class TokenBuckets {

    private TokenBuckets() {}

    /**
     * Returns how many permits the demand gets; 0 refuses. It gets all that it asks for, if they are available now or within
     * the wait that it accepts. Otherwise it gets what is available, if that is enough for it.
     */
    public static long grant(TokenBucket limit, BucketState aged, Demand demand, long nowMicros) {
        long room = remaining(limit, aged);
        if (demand.permits() <= room) {
            return demand.permits();
        }
        if (demand.maxWaitMicros() > 0
                && demand.permits() <= limit.capacity()
                && microsUntil(limit, aged, demand.permits(), nowMicros) <= demand.maxWaitMicros()) {
            return demand.permits();
        }
        return demand.atLeast() <= room ? room : 0;
    }

    /**
     * Returns the verdict on the demand.
     *
     * @param grant the result of {@link #grant} for {@code aged}
     * @param charged whether the grant was charged; false if the ask only looked or another limit refused
     */
    public static Verdict verdict(
            TokenBucket limit, BucketState aged, Demand demand, long grant, boolean charged, long nowMicros) {
        BucketState after = charged ? aged.plus(grant) : aged;
        return new Verdict(
                grant > 0,
                charged ? grant : 0,
                remaining(limit, after),
                grant > 0 ? 0 : retryAfter(limit, aged, demand, nowMicros),
                resetAfter(limit.pace(), after, nowMicros),
                grant > 0 ? microsUntil(limit, aged, grant, nowMicros) : 0,
                aged.atMicros());
    }

    /** Returns the time until enough permits are available, or until a slot for all of them is within the accepted wait. */
    private static long retryAfter(TokenBucket limit, BucketState aged, Demand demand, long nowMicros) {
        if (demand.atLeast() > limit.capacity()) {
            return Verdict.NEVER;
        }
        long enough = microsUntil(limit, aged, demand.atLeast(), nowMicros);
        return demand.maxWaitMicros() == 0 || demand.permits() > limit.capacity()
                ? enough
                : Math.min(enough, microsUntil(limit, aged, demand.permits(), nowMicros) - demand.maxWaitMicros());
    }

    static long resetAfter(Pace pace, BucketState after, long nowMicros) {
        return after.isUnused() ? 0 : pace.isZero() ? Verdict.NEVER : after.microsUntil(pace, 0, nowMicros);
    }

    private static long remaining(TokenBucket limit, BucketState aged) {
        return Math.max(0, limit.capacity() - aged.usedUp());
    }

    private static long microsUntil(TokenBucket limit, BucketState aged, long permits, long nowMicros) {
        return aged.microsUntil(limit.pace(), limit.capacity() - permits, nowMicros);
    }
}
