package io.sluice.benchmarks.fleet;

import io.sluice.core.Decision;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;

/** Counts the results of the requests of one node. Thread-safe. */
final class Tally {

    private static final int LONGEST_MICROS = 200_000;

    private final LongAdder allowed = new LongAdder();
    private final LongAdder refused = new LongAdder();
    private final LongAdder degraded = new LongAdder();
    private final LongAdder calls = new LongAdder();
    private final LongAdder[] micros = new LongAdder[LONGEST_MICROS + 1];
    private final AtomicLong underWay = new AtomicLong();

    Tally() {
        Arrays.setAll(micros, i -> new LongAdder());
    }

    void asked() {
        underWay.incrementAndGet();
    }

    boolean isIdle() {
        return underWay.get() == 0;
    }

    void decided(Decision decision, long nanos) {
        (decision.degraded() != null ? degraded : decision.allowed() ? allowed : refused).increment();
        micros[(int) Math.min(LONGEST_MICROS, nanos / 1_000)].increment();
        underWay.decrementAndGet();
    }

    void called() {
        calls.increment();
    }

    /** Returns the current totals. */
    Totals totals() {
        return new Totals(allowed.sum(), refused.sum(), degraded.sum(), calls.sum(), percentile(0.5), percentile(0.99));
    }

    private long percentile(double part) {
        long all = Arrays.stream(micros).mapToLong(LongAdder::sum).sum();
        long below = 0;
        for (int i = 0; i < micros.length; i++) {
            below += micros[i].sum();
            if (below >= all * part) {
                return i;
            }
        }
        return LONGEST_MICROS;
    }

    /** The counts of decisions and of calls to Redis, and latencies in microseconds. */
    record Totals(long allowed, long refused, long degraded, long calls, long p50, long p99) {

        static final Totals NONE = new Totals(0, 0, 0, 0, 0, 0);

        static Totals of(List<String> words) {
            long[] n = words.stream().mapToLong(Long::parseLong).toArray();
            return new Totals(n[0], n[1], n[2], n[3], n[4], n[5]);
        }

        long decisions() {
            return allowed + refused + degraded;
        }

        Totals and(Totals other) {
            return new Totals(
                    allowed + other.allowed,
                    refused + other.refused,
                    degraded + other.degraded,
                    calls + other.calls,
                    Math.max(p50, other.p50),
                    Math.max(p99, other.p99));
        }

        String line() {
            return allowed + " " + refused + " " + degraded + " " + calls + " " + p50 + " " + p99;
        }
    }
}
