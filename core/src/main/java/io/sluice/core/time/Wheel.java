package io.sluice.core.time;

import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.atomic.AtomicReferenceArray;
import org.jspecify.annotations.Nullable;

/**
 * Alarms of the near future, kept by the tick in which they are due. Every decision that waits for a store sets one, and nearly
 * all are cancelled soon after: setting costs one compare-and-set, cancelling one write, and there is no lock that callers would
 * queue for. An alarm that was cancelled stays until its tick.
 *
 * <p>The JDK's scheduled executor keeps its tasks under one lock, which every decision would take twice; Netty's wheel turns all the
 * time, and would be the only dependency of this module.
 *
 * <p>Holds no thread: whoever owns it calls {@link #turn} when {@link #nextTick} has come. Alarms may be set and cancelled by many
 * threads; one thread turns.
 */
final class Wheel {

    /** A tick is about a millisecond. */
    static final int TICK_BITS = 20;

    /** How far off an alarm may be, in nanoseconds, with a good margin to a whole turn. */
    static final long HORIZON_NANOS = 400_000_000L;

    /** There is no alarm. */
    static final long NEVER = Long.MAX_VALUE;

    private static final int SLOTS = 512;

    private final AtomicReferenceArray<@Nullable Entry> slots = new AtomicReferenceArray<>(SLOTS);

    /** Ticks before this one were turned to. Rises before the slot is emptied, so that who files sees whether it was too late. */
    private volatile long next;

    Wheel(long nowNanos) {
        this.next = nowNanos >> TICK_BITS;
    }

    /**
     * Files a task, never to be run before its time.
     *
     * @param atNanos at most {@link #HORIZON_NANOS} from now
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
            // Turned past in this moment, and perhaps before it was entry: entry once more, and run once all the same.
        }
    }

    /** Runs what is due; a task that fails keeps none of the others from running. */
    void turn(long nowNanos) {
        long now = nowNanos >> TICK_BITS;
        if (now - next >= SLOTS) {
            // Every slot is turned to once.
            next = now - SLOTS + 1;
        }
        while (next <= now) {
            long tick = next;
            next = tick + 1;
            empty(slot(tick), now);
        }
    }

    /** The first tick for which something is set; {@link #NEVER} if nothing is. */
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
            System.getLogger(Wheel.class.getName()).log(System.Logger.Level.WARNING, "an alarm failed", e);
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

    /** Where an alarm is kept; perhaps in two places. */
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
