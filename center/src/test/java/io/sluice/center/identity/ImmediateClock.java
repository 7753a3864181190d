package io.sluice.center.identity;

import io.sluice.core.time.Clock;

/** A clock whose alarms run at once, for tests that are not about waiting. */
final class ImmediateClock implements Clock {

    @Override
    public long nanoTime() {
        return 0;
    }

    @Override
    public long epochMicros() {
        return 0;
    }

    @Override
    public Alarm at(long atNanos, Runnable task) {
        task.run();
        return () -> {};
    }
}
