package io.sluice.center.console;

import io.sluice.core.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.atomic.AtomicLong;

/** The clock of this machine, moved into the past. It can be moved forward until it shows the true time. Thread-safe. */
final class StageClock implements Clock {

    private final long behindNanos;
    private final AtomicLong movedNanos = new AtomicLong();

    private StageClock(Duration behind) {
        this.behindNanos = behind.toNanos();
    }

    static StageClock behind(Duration behind) {
        return new StageClock(behind);
    }

    @Override
    public long nanoTime() {
        return System.nanoTime() + movedNanos.get();
    }

    @Override
    public long epochMicros() {
        return Clock.system().epochMicros() + (movedNanos.get() - behindNanos) / 1_000;
    }

    @Override
    public Alarm at(long atNanos, Runnable task) {
        return Clock.system().at(atNanos - movedNanos.get(), task);
    }

    long millis() {
        return epochMicros() / 1_000;
    }

    long second() {
        return epochMicros() / 1_000_000;
    }

    /** Moves it to a moment, unless it is later already. */
    void moveTo(Instant moment) {
        movedNanos.addAndGet(Math.max(
                0, Duration.between(Instant.ofEpochMilli(millis()), moment).toNanos()));
    }

    /** Lets it show the true time. */
    void catchUp() {
        movedNanos.set(behindNanos);
    }
}
