package io.sluice.benchmarks.doors;

import java.util.concurrent.atomic.AtomicLongArray;

/**
 * Counts times in buckets that grow with them: what is read back is up to a 32nd too long, never too short. Safe for use by many
 * threads.
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
     * The time that such a part of all took at most, in nanoseconds; 0 if there are none.
     *
     * @param part of 1
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

    /** Below twice the steps each time has its own; from there every doubling is divided into as many. */
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
