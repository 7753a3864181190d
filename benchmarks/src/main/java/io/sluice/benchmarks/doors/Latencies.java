package io.sluice.benchmarks.doors;

import java.util.concurrent.atomic.AtomicLongArray;

/**
 * A histogram of latencies. The width of its buckets grows with the latency: a quantile is at most a 32nd too long, and never too
 * short. Thread-safe.
 */
public final class Latencies {

    private static final int STEP_BITS = 5;
    private static final int STEPS = 1 << STEP_BITS;

    private final AtomicLongArray counts = new AtomicLongArray((Long.SIZE - STEP_BITS + 1) * STEPS);

    public void add(long nanos) {
        counts.incrementAndGet(bucket(Math.max(0, nanos)));
    }

    public void add(Latencies others) {
        for (int i = 0; i < counts.length(); i++) {
            counts.addAndGet(i, others.counts.get(i));
        }
    }

    long count() {
        long all = 0;
        for (int i = 0; i < counts.length(); i++) {
            all += counts.get(i);
        }
        return all;
    }

    /**
     * Returns a quantile in nanoseconds; 0 if nothing was added.
     *
     * @param part between 0 and 1, such as 0.99 for the p99
     */
    public long quantile(double part) {
        long wanted = Math.max(1, (long) Math.ceil(count() * part));
        long seen = 0;
        for (int i = 0; i < counts.length(); i++) {
            seen += counts.get(i);
            if (seen >= wanted) {
                return longest(i);
            }
        }
        return 0;
    }

    /** Each value below {@code 2 * STEPS} has its own bucket. Above that, each doubling is divided into {@code STEPS} buckets. */
    private static int bucket(long nanos) {
        int shift = Math.max(0, Long.SIZE - 1 - Long.numberOfLeadingZeros(nanos | 1) - STEP_BITS);
        return (shift << STEP_BITS) + (int) (nanos >>> shift);
    }

    private static long longest(int bucket) {
        int shift = Math.max(0, (bucket >>> STEP_BITS) - 1);
        long steps = bucket - ((long) shift << STEP_BITS);
        return ((steps + 1) << shift) - 1;
    }
}
