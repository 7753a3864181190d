package io.sluice.core.algorithm;

import io.sluice.core.limit.Concurrency;
import io.sluice.core.limit.FixedWindow;
import io.sluice.core.limit.LeakyBucket;
import io.sluice.core.limit.Limit;
import io.sluice.core.limit.SlidingLog;
import io.sluice.core.limit.SlidingWindow;
import io.sluice.core.limit.TokenBucket;
import io.sluice.core.spi.Charge;
import io.sluice.core.spi.Demand;
import io.sluice.core.spi.Verdict;

/**
 * What one caller has used of one limit, and the algorithm that says what that means. Not thread-safe; no clock, no I/O:
 * time is a parameter, in microseconds since the epoch, and may step back.
 *
 * <p>A question is {@link #grant}, then {@link #verdict}, then {@link #charge} or {@link #refuse} or neither; the later ones go
 * by what the first found. Only the last two and {@link #giveBack} change what is used.
 */
public abstract class Count {

    /** An unused count for limits of this shape. */
    public static Count of(Limit limit) {
        if (limit instanceof TokenBucket bucket) {
            return new TokenBucketCount(bucket, BucketState.fresh(0));
        } else if (limit instanceof LeakyBucket bucket) {
            return new LeakyBucketCount(bucket);
        } else if (limit instanceof FixedWindow window) {
            return new FixedWindowCount(window);
        } else if (limit instanceof SlidingWindow window) {
            return new SlidingWindowCount(window);
        } else if (limit instanceof SlidingLog log) {
            return new SlidingLogCount(log);
        }
        return new ConcurrencyCount((Concurrency) limit);
    }

    /** The count of a token bucket of which so much is used. */
    public static Count of(TokenBucket limit, BucketState state) {
        return new TokenBucketCount(limit, state);
    }

    /** What the demand would get now; 0 refuses. */
    public abstract long grant(Demand demand, long nowMicros);

    /**
     * What the demand is told.
     *
     * @param grant what {@link #grant} said
     * @param charged whether the grant is charged, or the demand only looks or fails on another limit
     */
    public abstract Verdict verdict(Demand demand, long grant, boolean charged, long nowMicros);

    /** Charges what {@link #grant} named. */
    public abstract void charge(Demand demand, long granted, long nowMicros);

    /**
     * Notes that a demand that was meant to charge was refused, here or by another limit. Changes nothing that is used, only how
     * it ages: after a step back that is too large to wait for, or at another rate than before.
     */
    public abstract void refuse(long nowMicros);

    /** Gives back what still counts of a charge. */
    public abstract void giveBack(Charge charge, long nowMicros);

    /** Lets a permit be held for its whole time from now on; false where permits are not held, or no longer. */
    public boolean renew(Charge charge, long nowMicros) {
        return false;
    }

    /** Whether forgetting the count would change no answer from {@code nowMicros} on. */
    public abstract boolean isUnused(long nowMicros);

    /** What a demand gets where so much room is: all it asks for, else what there is if that is enough for it. */
    static long ofRoom(Demand demand, long room) {
        return demand.permits() <= room ? demand.permits() : demand.atLeast() <= room ? room : 0;
    }
}
