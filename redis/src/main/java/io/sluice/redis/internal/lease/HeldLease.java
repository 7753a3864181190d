package io.sluice.redis.internal.lease;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/**
 * A lease that this process holds. Taking permits is one compare-and-set. Once the lease is closed, no permits can be taken or
 * put back, so the number spent by then is final. Thread-safe.
 */
final class HeldLease {

    /** Returned by {@link #take} if there are too few permits. */
    static final long TOO_FEW = -1;

    /** Returned by {@link #take} if the next time slot is too late. */
    static final long TOO_LATE = -2;

    private static final long CLOSED = -1;
    private static final VarHandle LEFT;

    static {
        try {
            LEFT = MethodHandles.lookup().findVarHandle(HeldLease.class, "left", long.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    final String id;
    final long permits;
    final long chargedAtMicros;
    final long endsNanos;

    /** The time of the first time slot, for limits with time slots. */
    final long slotNanos;

    private volatile long left;

    HeldLease(String id, long permits, long chargedAtMicros, long endsNanos, long slotNanos) {
        this.id = id;
        this.permits = permits;
        this.chargedAtMicros = chargedAtMicros;
        this.endsNanos = endsNanos;
        this.slotNanos = slotNanos;
        this.left = permits;
    }

    boolean isOver(long nowNanos) {
        return nowNanos - endsNanos >= 0;
    }

    /** Returns the number of permits that can still be taken, provided that the lease has not ended. */
    long left() {
        return Math.max(0, left);
    }

    /**
     * Takes the wanted permits if there are enough, otherwise all remaining permits if they meet the minimum.
     *
     * @param latestSlot the maximum number of permits before the first permit taken
     * @return the number of permits that were left before; the wanted permits, or all if there were fewer, have been taken.
     *     {@link #TOO_FEW} or {@link #TOO_LATE} if none were taken
     */
    long take(long wanted, long atLeast, long latestSlot) {
        for (; ; ) {
            long before = left;
            if (before < atLeast) {
                return TOO_FEW;
            }
            if (permits - before > latestSlot) {
                return TOO_LATE;
            }
            if (LEFT.compareAndSet(this, before, Math.max(0, before - wanted))) {
                return before;
            }
        }
    }

    /** Puts back taken permits. Returns false if the lease is closed or if fewer permits than this were taken from it. */
    boolean putBack(long taken) {
        for (; ; ) {
            long before = left;
            if (before < 0 || taken > permits - before) {
                return false;
            }
            if (LEFT.compareAndSet(this, before, before + taken)) {
                return true;
            }
        }
    }

    /** Closes the lease. Returns the number of spent permits, or a negative number if the lease was closed before. */
    long close() {
        long last = (long) LEFT.getAndSet(this, CLOSED);
        return last == CLOSED ? CLOSED : permits - last;
    }
}
