package io.sluice.benchmarks.gateway;

import java.util.concurrent.atomic.LongAdder;

/** The numbers that attackers count. Thread-safe. */
final class Tally {

    private final LongAdder sent = new LongAdder();
    private final LongAdder turnedAway = new LongAdder();
    private final LongAdder disconnected = new LongAdder();

    void sent(int count) {
        sent.add(count);
    }

    /** Counts a request that the gateway answered with 503, because it had too much to do. */
    void turnedAway() {
        turnedAway.increment();
    }

    void disconnected() {
        disconnected.increment();
    }

    /** Starts again at zero. */
    void reset() {
        sent.reset();
        turnedAway.reset();
        disconnected.reset();
    }

    long sentInAll() {
        return sent.sum();
    }

    long turnedAwayInAll() {
        return turnedAway.sum();
    }

    long disconnectedInAll() {
        return disconnected.sum();
    }
}
