package io.sluice.redis.internal.lease;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/**
 * A lease at hand. Whoever takes permits from it does so with one compare-and-set; once it is closed, nobody takes or puts back
 * any more, so what was spent by then is final. Safe for use by many threads.
 */
final class HeldLease {

    /** What {@link #take} says if there is not enough. */
    static final long TOO_FEW = -1;

    /** What {@link #take} says if the next time slot is too late. */
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

    /** When the first time slot is, where there are any. */
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

    /** What can still be taken, if it is not over. */
    long left() {
        return Math.max(0, left);
    }

    /**
     * Takes what is wanted if there is as much, else what there is if that is enough.
     *
     * @param latestSlot how many permits may come before the first one taken
     * @return what was left before, of which the wanted permits or all were taken; or {@link #TOO_FEW} or {@link #TOO_LATE}
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

    /** Puts back what was taken; false if the lease is closed, or never had so much to take. */
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

    /** Ends the taking. What was spent; less than 0 if that was said before. */
    long close() {
        long last = (long) LEFT.getAndSet(this, CLOSED);
        return last == CLOSED ? CLOSED : permits - last;
    }
}
