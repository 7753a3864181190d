package io.sluice.core.time;

import java.time.Duration;
import java.util.Comparator;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * A clock that stands still until it is moved. You can also use it in your own tests. Alarms run on the thread that moves the clock, each
 * at its own moment. Thread-safe.
 *
 * <p>If other threads read the clock, move it while they are idle. A thread that is between two readings measures the move.
 */
public class ManualClock implements Clock {

    private static final long PAUSE_MILLIS = 1;

    private final TreeSet<Task> tasks =
            new TreeSet<>(Comparator.comparingLong(Task::atNanos).thenComparingLong(Task::order));
    private long nanos;
    private long epochNanos;
    private long orders;

    /** Creates a clock that starts at the epoch. */
    public ManualClock() {
        this(0);
    }

    /** Creates a clock that starts at the given microsecond since the epoch. */
    protected ManualClock(long epochMicros) {
        epochNanos = epochMicros * 1_000;
    }

    /** Creates a clock that starts at the given microsecond since the epoch. */
    public static ManualClock at(long epochMicros) {
        return new ManualClock(epochMicros);
    }

    @Override
    public synchronized long nanoTime() {
        return nanos;
    }

    @Override
    public synchronized long epochMicros() {
        return Math.floorDiv(epochNanos, 1_000L);
    }

    @Override
    public Alarm at(long atNanos, Runnable task) {
        Task entry;
        synchronized (this) {
            entry = new Task(atNanos, orders++, task);
            tasks.add(entry);
        }
        advance(Duration.ZERO);
        return () -> remove(entry);
    }

    /** Moves both clocks forward and runs the alarms that become due, each at its moment. */
    public void advance(Duration span) {
        if (span.isNegative()) {
            throw new IllegalArgumentException("span: " + span + " (expected: zero or more; stepWall can go back)");
        }
        long target;
        synchronized (this) {
            target = nanos + span.toNanos();
        }
        for (Task due = nextDue(target); due != null; due = nextDue(target)) {
            due.task.run();
        }
    }

    /** Makes the wall clock jump, forward or back, as a correction of the system time would. */
    public synchronized void stepWall(Duration span) {
        while (!mayMove()) {
            pause();
        }
        epochNanos += span.toNanos();
    }

    /**
     * Returns whether the clock may move now; otherwise it moves later. No thread can read the clock during this call or between its answer
     * and the move.
     */
    protected boolean mayMove() {
        return true;
    }

    private synchronized @Nullable Task nextDue(long target) {
        while (true) {
            Task due = tasks.isEmpty() || tasks.first().atNanos > target ? null : tasks.first();
            long next = Math.max(nanos, due == null ? target : due.atNanos);
            if (next == nanos || mayMove()) {
                moveTo(next);
                if (due != null) {
                    tasks.remove(due);
                }
                return due;
            }
            // Another thread may set or cancel an alarm meanwhile.
            pause();
        }
    }

    /** Lets other threads read the clock for a moment. */
    @SuppressWarnings("WaitNotInLoop") // its callers loop
    private void pause() {
        try {
            wait(PAUSE_MILLIS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted while the clock waited for its readers", e);
        }
    }

    private void moveTo(long newNanos) {
        epochNanos += newNanos - nanos;
        nanos = newNanos;
    }

    private synchronized void remove(Task entry) {
        tasks.remove(entry);
    }

    private record Task(long atNanos, long order, Runnable task) {}
}
