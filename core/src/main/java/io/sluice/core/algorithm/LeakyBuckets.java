package io.sluice.core.algorithm;

import io.sluice.core.limit.LeakyBucket;
import io.sluice.core.spi.Demand;
import io.sluice.core.spi.Verdict;

/**
 * The arithmetic of {@link LeakyBucket} on a {@link BucketState} aged to the present. The used permits are queued before the
 * next request, and the time to drain them is its wait. Rounding is the same as in {@link TokenBuckets}.
 */
public final class LeakyBuckets {

    private LeakyBuckets() {}

    /** Returns the number of permits that the demand gets; 0 is a refusal. */
    public static long grant(LeakyBucket limit, BucketState aged, Demand demand, long nowMicros) {
        return Count.ofRoom(demand, room(limit, aged, demand, nowMicros));
    }

    /**
     * Returns the verdict on the demand.
     *
     * @param grant the result of {@link #grant} for {@code aged}
     * @param charged whether the grant was charged; false if the ask only looked or another limit refused
     */
    public static Verdict verdict(
            LeakyBucket limit, BucketState aged, Demand demand, long grant, boolean charged, long nowMicros) {
        BucketState after = charged ? aged.plus(grant) : aged;
        return new Verdict(
                grant > 0,
                charged ? grant : 0,
                room(limit, after, limit.maxWaitMicros(), nowMicros),
                grant > 0 ? 0 : retryAfter(limit, aged, demand, nowMicros),
                TokenBuckets.resetAfter(limit.pace(), after, nowMicros),
                grant > 0 ? aged.microsUntil(limit.pace(), 0, nowMicros) : 0,
                aged.atMicros(),
                grant == 0 && demand.keep() > 0 && Count.isKept(demand, grant, room(limit, aged, demand, nowMicros)));
    }

    private static long retryAfter(LeakyBucket limit, BucketState aged, Demand demand, long nowMicros) {
        if (demand.needed() > limit.capacity()) {
            return Verdict.NEVER;
        }
        long roomy = aged.microsUntil(limit.pace(), limit.capacity() - demand.needed(), nowMicros);
        long drained = aged.microsUntil(limit.pace(), 0, nowMicros);
        return Math.max(roomy, drained - Math.min(limit.maxWaitMicros(), demand.maxWaitMicros()));
    }

    /** Returns the room for a demand that accepts a wait of its own. */
    private static long room(LeakyBucket limit, BucketState aged, Demand demand, long nowMicros) {
        return room(limit, aged, Math.min(limit.maxWaitMicros(), demand.maxWaitMicros()), nowMicros);
    }

    private static long room(LeakyBucket limit, BucketState aged, long maxWaitMicros, long nowMicros) {
        if (limit.pace().isZero() || aged.microsUntil(limit.pace(), 0, nowMicros) > maxWaitMicros) {
            return 0;
        }
        return Math.max(0, limit.capacity() - aged.usedUp());
    }
}
