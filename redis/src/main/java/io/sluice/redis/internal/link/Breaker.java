package io.sluice.redis.internal.link;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Judges by what became of calls whether it is still worth making them. It says no when of the last {@value #LAST} at least {@value
 * #FEWEST_BAD} and at least half went bad, and when calls are under way and none has returned for too long: a server that
 * hangs takes calls and never returns one that could be counted. (Breakers of libraries, Resilience4j's too, judge by calls that have
 * returned.) Safe for use by many threads; what time it is, it is told.
 */
final class Breaker {

    static final int LAST = 16;
    static final int FEWEST_BAD = 5;

    private final long slowNanos;
    private final AtomicInteger underWay = new AtomicInteger();
    private volatile long progressNanos;

    /** The newest in the lowest bit, 1 for bad. */
    private int outcomes;

    private int known;

    Breaker(Duration slow) {
        this.slowNanos = slow.toNanos();
    }

    /** A call goes out. */
    void sent(long nowNanos) {
        if (underWay.getAndIncrement() == 0) {
            progressNanos = nowNanos;
        }
    }

    /** A call has ended. Whether it and those before it are too bad to go on. */
    boolean landed(boolean bad, long nowNanos) {
        underWay.decrementAndGet();
        progressNanos = nowNanos;
        return tooManyBad(bad);
    }

    private synchronized boolean tooManyBad(boolean bad) {
        outcomes = (outcomes << 1 | (bad ? 1 : 0)) & (1 << LAST) - 1;
        known = Math.min(LAST, known + 1);
        int wrong = Integer.bitCount(outcomes);
        return bad && wrong >= FEWEST_BAD && wrong * 2 >= known;
    }

    /** Whether calls are under way and none has returned for too long. */
    boolean isStalled(long nowNanos) {
        return underWay.get() > 0 && nowNanos - progressNanos > slowNanos;
    }

    /** What was is forgotten: Redis has shown that it answers. */
    synchronized void reset(long nowNanos) {
        outcomes = 0;
        known = 0;
        progressNanos = nowNanos;
    }
}
