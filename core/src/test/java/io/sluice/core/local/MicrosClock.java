package io.sluice.core.local;

import io.sluice.core.time.Clock;
import java.util.function.LongSupplier;

/** A clock of which a test holds the hands; has no alarms. */
record MicrosClock(LongSupplier micros, long start) implements Clock {

    /** A time for counts that trust it not to step back. */
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
