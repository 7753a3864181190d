package io.sluice.replay.run;

import io.sluice.core.time.Clock;

/** A clock that shows the time of the log. It only moves forward, and has no alarms. Not thread-safe. */
public final class LogClock implements Clock {

    private final long startMicros;
    private long nowMicros;

    public LogClock(long startMicros) {
        this.startMicros = startMicros;
        this.nowMicros = startMicros;
    }

    /** Moves to a time, unless that time has passed. */
    public void moveTo(long micros) {
        nowMicros = Math.max(nowMicros, micros);
    }

    @Override
    public long nanoTime() {
        return (nowMicros - startMicros) * 1_000;
    }

    @Override
    public long epochMicros() {
        return nowMicros;
    }

    @Override
    public Alarm at(long atNanos, Runnable task) {
        throw new UnsupportedOperationException("nobody waits in a replay");
    }
}
