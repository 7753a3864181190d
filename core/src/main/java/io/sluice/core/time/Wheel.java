package io.sluice.core.time;

import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.atomic.AtomicReferenceArray;
import org.jspecify.annotations.Nullable;

/**
 * Alarms in the near future, kept by the tick in which they are due. Every decision that waits for a store sets an alarm, and
 * nearly all are cancelled soon after. Setting an alarm costs one compare-and-set and cancelling it one write, and there is no
 * lock for callers to contend on. A cancelled alarm stays until its tick.
 *
 * <p>The JDK's scheduled executor keeps its tasks under one lock, which every decision would take twice. Netty's wheel runs
 * permanently, and would be the only dependency of this module.
 *
 * <p>The wheel has no thread: its owner calls {@link #turn} when {@link #nextTick} has come. Many threads may set and cancel
 * alarms; only one thread turns the wheel.
 */
final class Wheel {

    /** The number of bits in a tick, which is about a millisecond. */
    static final int TICK_BITS = 20;

    /** The maximum time until an alarm in nanoseconds, with a good margin below a full turn. */
    static final long HORIZON_NANOS = 400_000_000L;

    /** The tick if no alarm is set. */
    static final long NEVER = Long.MAX_VALUE;

    private static final int SLOTS = 512;

    private final AtomicReferenceArray<@Nullable Entry> slots = new AtomicReferenceArray<>(SLOTS);

    /**
     * The wheel has passed all ticks before this tick. It increases before the slot is emptied, so that a thread that adds an
     * alarm sees whether it was too late.
     */
    private volatile long next;

    Wheel(long nowNanos) {
        this.next = nowNanos >> TICK_BITS;
    }

    /**
     * Adds a task. It never runs before its time.
     *
     * @param atNanos the time of the alarm, at most {@link #HORIZON_NANOS} from now
     */
    Set at(long atNanos, Runnable task) {
        long due = (atNanos >> TICK_BITS) + 1;
        AtomicReference<@Nullable Runnable> todo = new AtomicReference<>(task);
        while (true) {
            long tick = Math.max(due, next);
            Entry entry = new Entry(tick, todo);
            push(entry);
            if (tick >= next || entry.seen.get()) {
                return new Set(tick, todo);
            }
            // The wheel has just passed this tick, perhaps before the entry was in its slot. Add it again; it still
            // runs only once.
        }
    }

    /** Runs the tasks that are due. A task that fails does not keep the other tasks from running. */
    void turn(long nowNanos) {
        long now = nowNanos >> TICK_BITS;
        if (now - next >= SLOTS) {
            // Visit every slot once.
            next = now - SLOTS + 1;
        }
        while (next <= now) {
            long tick = next;
            next = tick + 1;
            empty(slot(tick), now);
        }
    }

    /** Returns the first tick for which an alarm is set, or {@link #NEVER} if there is none. */
    long nextTick() {
        long from = next;
        for (long tick = from; tick < from + SLOTS; tick++) {
            if (slots.get(slot(tick)) != null) {
                return tick;
            }
        }
        return NEVER;
    }

    private void empty(int slot, long now) {
        Entry entry = slots.getAndSet(slot, null);
        while (entry != null) {
            Entry after = entry.below;
            if (entry.tick > now) {
                entry.below = null;
                push(entry);
            } else {
                entry.seen.set(true);
                run(entry.todo.getAndSet(null));
            }
            entry = after;
        }
    }

    private static void run(@Nullable Runnable task) {
        if (task == null) {
            return;
        }
        try {
            task.run();
        } catch (Throwable e) {
            System.getLogger(Wheel.class.getName()).log(System.Logger.Level.WARNING, "a timer task failed", e);
        }
    }

    private void push(Entry entry) {
        int slot = slot(entry.tick);
        Entry top;
        do {
            top = slots.get(slot);
            entry.below = top;
        } while (!slots.compareAndSet(slot, top, entry));
    }

    private static int slot(long tick) {
        return (int) (tick & (SLOTS - 1));
    }

    /** An alarm that is set. */
    record Set(long tick, AtomicReference<@Nullable Runnable> todo) implements Clock.Alarm {

        @Override
        public void cancel() {
            todo.set(null);
        }
    }

    /** A place in a slot for an alarm; one alarm may be in two places. */
    private static final class Entry {

        final long tick;
        final AtomicReference<@Nullable Runnable> todo;
        final AtomicBoolean seen = new AtomicBoolean();

        @Nullable
        Entry below;

        Entry(long tick, AtomicReference<@Nullable Runnable> todo) {
            this.tick = tick;
            this.todo = todo;
        }
    }
}
