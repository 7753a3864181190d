package io.sluice.core.time;

/**
 * Time as a dependency. Wall time may jump and is for calendars and people; monotonic time only rises and is for waiting
 * and deadlines. Safe for use by many threads.
 */
public interface Clock {

    /** Monotonic nanoseconds since some fixed moment. */
    long nanoTime();

    /** Microseconds since the epoch, by the wall clock. */
    long epochMicros();

    /**
     * Runs {@code task} once {@link #nanoTime} has reached {@code atNanos}. Tasks must be short; the returned handle stops
     * one that has not run yet.
     */
    Alarm at(long atNanos, Runnable task);

    /** A task that is still to run. */
    @FunctionalInterface
    interface Alarm {
        void cancel();
    }

    /** The clock of this machine. */
    static Clock system() {
        return SystemClock.INSTANCE;
    }
}
