package io.sluice.redis.internal.lease;

import io.sluice.core.limit.Limit;
import io.sluice.core.limit.Pace;
import io.sluice.core.spi.Demand;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The time slots of a lease. The slots of a leaky bucket follow each other at its rate, in the order in which permits are taken.
 * Other limits have no slots, and their callers never wait. Immutable.
 */
final class LeaseSlots {

    private static final LeaseSlots NONE = new LeaseSlots(null, 0);

    private final @Nullable Pace pace;
    private final long maxWaitMicros;

    private LeaseSlots(@Nullable Pace pace, long maxWaitMicros) {
        this.pace = pace;
        this.maxWaitMicros = maxWaitMicros;
    }

    static LeaseSlots of(Limit limit) {
        return limit.kind().queues() ? new LeaseSlots(limit.pace(), limit.maxWaitMicros()) : NONE;
    }

    /**
     * Returns the maximum number of permits of a lease before the first permit of a caller; negative if even the first slot is too late.
     */
    long latest(HeldLease lease, Demand demand, long nowNanos) {
        if (pace == null) {
            return Long.MAX_VALUE;
        }
        long sinceFirst = nowNanos - lease.slotNanos + nanos(maxWaitMicros(demand));
        return sinceFirst < 0 ? -1 : pace.wholeIn(sinceFirst / 1_000);
    }

    /** Returns the wait of a caller that has this many permits of the lease before it. */
    long untilMicros(HeldLease lease, long before, long nowNanos) {
        if (pace == null) {
            return 0;
        }
        long offset = pace.microsFor(before, 0);
        return Math.max(0, microsUp(lease.slotNanos - nowNanos + nanos(offset)));
    }

    /** Returns the maximum wait until the first slot of a lease. */
    long maxWaitMicros() {
        return maxWaitMicros;
    }

    /** Returns the maximum wait until the slot of a demand. */
    long maxWaitMicros(Demand demand) {
        return Math.min(maxWaitMicros(), demand.maxWaitMicros());
    }

    /** Converts a span to nanoseconds, capped at the longest wait of a demand. */
    static long nanos(long micros) {
        return TimeUnit.MICROSECONDS.toNanos(Math.min(micros, Demand.MAX_WAIT_MICROS));
    }

    static long microsUp(long nanos) {
        return Math.floorDiv(nanos + 999, 1_000L);
    }
}
