package io.sluice.core.time;

/**
 * Time as a dependency. Wall time may jump; it is for calendars and people. Monotonic time only increases; it is for waiting
 * and deadlines. Thread-safe.
 */
public interface Clock {

    /** Returns monotonic nanoseconds since some fixed moment. */
    long nanoTime();

    /** Returns microseconds since the epoch, by the wall clock. */
    long epochMicros();

    /**
     * Runs {@code task} once {@link #nanoTime} has reached {@code atNanos}. Tasks must be short. The returned handle cancels a
     * task that has not run yet.
     */
    Alarm at(long atNanos, Runnable task);

    /** A task that has yet to run. */
    @FunctionalInterface
    interface Alarm {
        void cancel();
    }

    /** Returns the clock of this machine. */
    static Clock system() {
        return SystemClock.INSTANCE;
    }
}
