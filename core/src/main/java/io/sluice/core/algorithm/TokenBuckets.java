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
     * Returns the number of permits that the demand gets; 0 is a refusal. It gets all permits that it asks for, if they are
     * available now or within the wait that it accepts. Otherwise it gets the available permits, if they are enough for it. The
     * permits that it keeps for other callers are not available to it, and a demand that keeps permits gets no later slot.
     */
    public static long grant(TokenBucket limit, BucketState aged, Demand demand, long nowMicros) {
        long free = remaining(limit, aged) - demand.keep();
        if (demand.permits() <= free) {
            return Count.all(demand);
        }
        if (demand.keep() == 0 && hasSlot(limit, aged, demand, nowMicros)) {
            return demand.permits();
        }
        return demand.atLeast() <= free ? free : 0;
    }

    /** Returns whether a slot for all permits is within the wait that the demand accepts. */
    private static boolean hasSlot(TokenBucket limit, BucketState aged, Demand demand, long nowMicros) {
        return demand.maxWaitMicros() > 0
                && demand.isCharged()
                && demand.permits() <= limit.capacity()
                && microsUntil(limit, aged, demand.permits(), nowMicros) <= demand.maxWaitMicros();
    }

    private static boolean isKept(TokenBucket limit, BucketState aged, Demand demand, long grant, long nowMicros) {
        return Count.isKept(demand, grant, remaining(limit, aged))
                || (grant == 0 && demand.keep() > 0 && hasSlot(limit, aged, demand, nowMicros));
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
                aged.atMicros(),
                isKept(limit, aged, demand, grant, nowMicros));
    }

    /** Returns the time until enough permits are available, or until a slot for all of them is within the accepted wait. */
    private static long retryAfter(TokenBucket limit, BucketState aged, Demand demand, long nowMicros) {
        if (demand.needed() > limit.capacity()) {
            return Verdict.NEVER;
        }
        long enough = microsUntil(limit, aged, demand.needed(), nowMicros);
        return demand.maxWaitMicros() == 0 || demand.keep() > 0 || demand.permits() > limit.capacity()
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
