package io.sluice.core.local;

import io.sluice.core.time.Clock;
import java.util.function.LongSupplier;

/** A clock that the test sets; it has no alarms. */
record MicrosClock(LongSupplier micros, long start) implements Clock {

    /** Returns a time for counts that rely on it not to step back. */
    static SteadyTime steady(LongSupplier micros) {
        return new SteadyTime(new MicrosClock(micros, micros.getAsLong()));
    }

    @Override
    public long nanoTime() {
        return (micros.getAsLong() - start) * 1_000;
    }

    @Override
    public long epochMicros() {
        return micros.getAsLong();
    }

    @Override
    public Alarm at(long atNanos, Runnable task) {
        throw new IllegalStateException("no alarms here");
    }
}
