package io.sluice.center;

import io.sluice.core.time.Clock;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;

/**
 * The clock of this machine with another wall time, for tests with servers that have their own clock. Waiting and deadlines take the
 * time that they take. Thread-safe.
 */
final class ShiftedClock implements Clock {

    private final Clock system = Clock.system();
    private final AtomicLong shiftMicros = new AtomicLong();

    /** Sets the wall time forward. */
    void shift(Duration by) {
        shiftMicros.addAndGet(by.toNanos() / 1_000);
    }

    @Override
    public long nanoTime() {
        return system.nanoTime();
    }

    @Override
    public long epochMicros() {
        return system.epochMicros() + shiftMicros.get();
    }

    @Override
    public Alarm at(long atNanos, Runnable task) {
        return system.at(atNanos, task);
    }
}
