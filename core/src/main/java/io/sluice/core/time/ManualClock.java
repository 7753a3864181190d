package io.sluice.core.time;

import java.time.Duration;
import java.util.Comparator;
import java.util.TreeSet;

/**
 * A clock that stands still until it is moved. Use it in your own tests, too. Alarms run on the thread that moves the clock,
 * each at its own moment. Thread-safe.
 */
public final class ManualClock implements Clock {

    private final TreeSet<Task> tasks =
            new TreeSet<>(Comparator.comparingLong(Task::atNanos).thenComparingLong(Task::order));
    private long nanos;
    private long epochNanos;
    private long orders;

    /** Creates a clock that starts at the given microsecond since the epoch. */
    public static ManualClock at(long epochMicros) {
        ManualClock clock = new ManualClock();
        clock.epochNanos = epochMicros * 1_000;
        return clock;
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
        epochNanos += span.toNanos();
    }

    private synchronized @org.jspecify.annotations.Nullable Task nextDue(long target) {
        if (tasks.isEmpty() || tasks.first().atNanos > target) {
            moveTo(Math.max(nanos, target));
            return null;
        }
        Task due = tasks.first();
        tasks.remove(due);
        moveTo(Math.max(nanos, due.atNanos));
        return due;
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
