package io.sluice.redis.internal.link;

import io.sluice.core.time.Clock;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;

/**
 * The time in which an answer would have been read if it had arrived. It passes like the time of the clock, but by at most {@link #TURN}
 * between two turns of the thread that reads. If this process is paused for a second, by its garbage collector, by the compilation of code
 * or because other processes use the processor, only five milliseconds of it pass. So a pause of this process is not mistaken for a slow
 * server. The time stands still while no call is in flight. Thread-safe.
 */
final class ReadingTime {

    /** The interval at which the thread records that it still reads, while calls are in flight. */
    static final Duration TURN = Duration.ofMillis(5);

    private final Clock clock;
    private final Consumer<Runnable> nextTurn;
    private final AtomicInteger underWay = new AtomicInteger();
    private final AtomicBoolean turning = new AtomicBoolean();
    private volatile Turn last;

    /** @param nextTurn runs a task on the thread that reads, one {@link #TURN} later */
    ReadingTime(Clock clock, Consumer<Runnable> nextTurn) {
        this.clock = clock;
        this.nextTurn = nextTurn;
        this.last = new Turn(clock.nanoTime(), 0);
    }

    /** Returns the time that has passed so far. Only differences are meaningful. */
    long nanos() {
        return last.until(clock.nanoTime());
    }

    /** Records that a call is about to be sent. */
    void sent() {
        underWay.incrementAndGet();
        start();
    }

    /** Records that a call has ended. */
    void landed() {
        underWay.decrementAndGet();
    }

    private void start() {
        if (!turning.get() && turning.compareAndSet(false, true)) {
            turn();
        }
    }

    private void turn() {
        long now = clock.nanoTime();
        last = new Turn(now, last.until(now));
        nextTurn.accept(this::turned);
    }

    private void turned() {
        if (underWay.get() > 0) {
            turn();
            return;
        }
        turning.set(false);
        // A call may have been sent in between.
        if (underWay.get() > 0) {
            start();
        }
    }

    /** A turn of the thread: its time, and the reading time that had passed by then. */
    private record Turn(long atNanos, long passedNanos) {

        long until(long nowNanos) {
            return passedNanos + Math.max(0, Math.min(TURN.toNanos(), nowNanos - atNanos));
        }
    }
}
