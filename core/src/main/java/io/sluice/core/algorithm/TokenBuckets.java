package io.sluice.core.algorithm;

import io.sluice.core.limit.Pace;
import io.sluice.core.limit.TokenBucket;
import io.sluice.core.spi.Demand;
import io.sluice.core.spi.Verdict;

/**
 * The arithmetic of {@link TokenBucket} on a {@link BucketState} aged to the present. The Lua twin is the bucket part of {@code
 * decide.lua}; golden vectors keep the two alike.
 *
 * <p>Rounding is written here once. Used permits are counted exactly. {@code remaining} is rounded down, waits are rounded
 * up to the next microsecond: the wait that is named is the first at which the demand passes.
 */
public final class TokenBuckets {

    private TokenBuckets() {}

    /**
     * How many permits the demand gets; 0 refuses. All it asks for, if they are there or will be within the wait it allows;
     * else what is there, if that is enough for it.
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
     * What the demand is told.
     *
     * @param grant what {@link #grant} said of {@code aged}
     * @param charged whether the grant was charged, or the demand only looked or failed on another limit
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

    /** Until what would do is there, or a slot for all of it is within the wait. */
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
