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
import io.sluice.core.spi.Settlement;
import io.sluice.core.spi.Verdict;

/**
 * The use of one limit by one key, together with the limit's algorithm. Not thread-safe. It has no clock and does no I/O: time is a
 * parameter, in microseconds since the epoch, and may step back.
 *
 * <p>A decision calls {@link #grant}, then {@link #verdict}, then {@link #charge} or {@link #refuse} or neither. The later calls use the
 * results of the first call. Only the last two, {@link #giveBack} and {@link #settle} change the count.
 */
public abstract class Count {

    /**
     * The maximum number of used permits that a count holds, 10<sup>15</sup>. Only settlements can reach it, because they may charge more
     * permits than fit; charges beyond it are dropped. The bound keeps the arithmetic in range, also in Lua.
     */
    public static final long MOST_USED = 1_000 * Limit.MAX_CAPACITY;

    /** Creates an unused count for limits of this shape. */
    public static Count of(Limit limit) {
        return switch (limit.kind()) {
            case TOKEN_BUCKET -> new TokenBucketCount((TokenBucket) limit, BucketState.fresh(0));
            case LEAKY_BUCKET -> new LeakyBucketCount((LeakyBucket) limit);
            case FIXED_WINDOW -> new FixedWindowCount((FixedWindow) limit);
            case SLIDING_WINDOW -> new SlidingWindowCount((SlidingWindow) limit);
            case SLIDING_LOG -> new SlidingLogCount((SlidingLog) limit);
            case CONCURRENCY -> new ConcurrencyCount((Concurrency) limit);
        };
    }

    /** Creates the count of a token bucket with a given used amount. */
    public static Count of(TokenBucket limit, BucketState state) {
        return new TokenBucketCount(limit, state);
    }

    /**
     * Returns the permits that the demand would get now; 0 is a refusal. A demand for no permits gets 1 if it passes, and is not charged.
     */
    public abstract long grant(Demand demand, long nowMicros);

    /**
     * Returns the verdict on the demand.
     *
     * @param grant the result of {@link #grant}
     * @param charged whether the grant is charged; false if the ask only looks, another limit refuses or the demand is for no permits
     */
    public abstract Verdict verdict(Demand demand, long grant, boolean charged, long nowMicros);

    /** Charges the permits that {@link #grant} returned. */
    public abstract void charge(Demand demand, long granted, long nowMicros);

    /**
     * Records that a charging demand was refused, by this or by another limit, or was for no permits. This does not change the used amount,
     * only its ageing: after a step back that is too large to wait for, or with another rate than before.
     */
    public abstract void refuse(long nowMicros);

    /** Returns whether this holder has permits. */
    public boolean isHeld(String holder, long nowMicros) {
        return false;
    }

    /** Gives back the part of a charge that still counts. */
    public abstract void giveBack(Charge charge, long nowMicros);

    /**
     * Replaces the charge of a reservation by its real cost. Gives back the unused part, as far as it still counts, or charges the permits
     * used beyond the reservation even if they do not fit. The charge belongs to the window of the reservation or, if that has ended, to
     * the present window. Returns the charged permits; negative if some were given back, rounded towards zero.
     */
    public long settle(Settlement settlement, long nowMicros) {
        throw new UnsupportedOperationException(
                "limit: " + settlement.limit() + " (expected: a limit whose permits can be settled)");
    }

    /**
     * Extends a held permit by its full time from now. Returns false if it is not held, or if this limit has no held permits.
     */
    public boolean renew(Charge charge, long nowMicros) {
        return false;
    }

    /** Returns whether forgetting the count would change no answer from {@code nowMicros} on. */
    public abstract boolean isUnused(long nowMicros);

    /**
     * Returns the permits that a demand gets from {@code room}, less the permits that it keeps for other callers: all permits that it asks
     * for, otherwise all that are left if they are enough for it.
     */
    static long ofRoom(Demand demand, long room) {
        long free = room - demand.keep();
        return demand.permits() <= free ? all(demand) : demand.atLeast() <= free ? free : 0;
    }

    /** Returns the grant of a demand that gets all its permits: at least 1, because 0 is a refusal. */
    public static long all(Demand demand) {
        return Math.max(1, demand.permits());
    }

    /** Returns {@code used} after {@code more} permits were charged, or given back if negative. */
    static long settled(long used, long more) {
        return Math.max(0, Math.min(MOST_USED, used + more));
    }

    /** Returns whether a demand that got {@code grant} was refused only because of the permits that it keeps for other callers. */
    static boolean isKept(Demand demand, long grant, long room) {
        return grant == 0 && demand.keep() > 0 && Math.max(1, demand.atLeast()) <= room;
    }
}
