package io.sluice.center.console;

import io.sluice.core.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.atomic.AtomicLong;

/**
 * The clock of this machine, moved into the past. Its wall time can be moved forward until it shows the true time. Its monotonic time goes
 * on meanwhile, so nodes do not seem to be silent. Thread-safe.
 */
final class StageClock implements Clock {

    private final AtomicLong behindNanos;
    private final AtomicLong passedNanos = new AtomicLong();

    private StageClock(Duration behind) {
        this.behindNanos = new AtomicLong(behind.toNanos());
    }

    static StageClock behind(Duration behind) {
        return new StageClock(behind);
    }

    @Override
    public long nanoTime() {
        return System.nanoTime() + passedNanos.get();
    }

    @Override
    public long epochMicros() {
        return Clock.system().epochMicros() + behindNanos.get() / -1_000;
    }

    @Override
    public Alarm at(long atNanos, Runnable task) {
        return Clock.system().at(atNanos - passedNanos.get(), task);
    }

    long millis() {
        return epochMicros() / 1_000;
    }

    long second() {
        return epochMicros() / 1_000_000;
    }

    /** Moves the wall time to a moment, unless it is later already. */
    void moveTo(Instant moment) {
        long ahead = Duration.between(Instant.ofEpochMilli(millis()), moment).toNanos();
        behindNanos.addAndGet(-Math.max(0, ahead));
    }

    /** Lets time pass on both clocks. */
    void pass(Duration span) {
        passedNanos.addAndGet(span.toNanos());
        behindNanos.addAndGet(-span.toNanos());
    }

    /** Lets it show the true time. */
    void catchUp() {
        behindNanos.set(0);
    }
}
