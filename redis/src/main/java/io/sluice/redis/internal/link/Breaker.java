package io.sluice.redis.internal.link;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Decides from past calls whether further calls are worthwhile. It trips in two cases. First, when at least {@value #FEWEST_BAD} and at
 * least half of the last {@value #LAST} calls were bad. Second, when calls are in flight and none has returned for too long: a server that
 * hangs accepts calls and never returns a call that could be counted. (Library breakers, including Resilience4j's, only count calls that
 * have returned.) Thread-safe. The caller passes in the current time.
 */
final class Breaker {

    static final int LAST = 16;
    static final int FEWEST_BAD = 5;

    private final long slowNanos;
    private final AtomicInteger underWay = new AtomicInteger();
    private volatile long progressNanos;

    /** The outcomes of recent calls, newest in the lowest bit; 1 means bad. */
    private int outcomes;

    private int known;

    Breaker(Duration slow) {
        this.slowNanos = slow.toNanos();
    }

    /** Records that a call was sent. */
    void sent(long nowNanos) {
        if (underWay.getAndIncrement() == 0) {
            progressNanos = nowNanos;
        }
    }

    /** Records that a call has ended. Returns whether this call and the calls before it trip the breaker. */
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

    /** Returns whether calls are in flight and none has returned for too long. */
    boolean isStalled(long nowNanos) {
        return underWay.get() > 0 && nowNanos - progressNanos > slowNanos;
    }

    /** Forgets the past, because Redis has shown that it answers. */
    synchronized void reset(long nowNanos) {
        outcomes = 0;
        known = 0;
        progressNanos = nowNanos;
    }
}
