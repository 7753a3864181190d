package io.sluice.core.local;

import java.util.concurrent.atomic.AtomicLongArray;
import java.util.function.LongPredicate;

/**
 * Permits of one count, taken in batches and spread over stripes, so that threads that ask at the same time do not contend and
 * do not read the clock for each permit. No stripe ever holds a whole batch.
 */
final class Stripes {

    /** The distance between stripes in longs: two cache lines, because processors fetch neighbouring lines in pairs. */
    private static final int APART = 16;

    private static final int MOST = 64;
    private static final long BEING_FILLED = -1;

    private final AtomicLongArray stripes;
    private final int mask;
    private final long batch;
    private final LongPredicate count;

    /**
     * Creates empty stripes.
     *
     * @param processors the number of threads that are expected to ask at the same time
     * @param outstanding the maximum number of permits in the stripes
     * @param mostAtOnce the maximum number of permits in one batch
     * @param count takes a number of permits from the count, or none
     */
    public Stripes(int processors, long outstanding, long mostAtOnce, LongPredicate count) {
        int wanted = number(processors);
        this.mask = wanted - 1;
        this.stripes = new AtomicLongArray((wanted + 1) * APART);
        this.batch = Math.min(mostAtOnce, outstanding / wanted);
        this.count = count;
    }

    /**
     * Returns whether the outstanding permits are enough to be spread over stripes. Otherwise permits are taken from the count
     * one by one.
     */
    static boolean areOfUse(int processors, long outstanding) {
        return outstanding / number(processors) > 1;
    }

    /**
     * Takes permits from this thread's stripe, otherwise from the count together with a batch for later, otherwise from any
     * stripe.
     */
    public boolean take(long permits) {
        int at = place((int) Thread.currentThread().getId() & mask);
        long there = stripes.get(at);
        while (there >= permits) {
            if (stripes.compareAndSet(at, there, there - permits)) {
                return true;
            }
            there = stripes.get(at);
        }
        return (permits < batch && there >= 0 && fill(at, there, permits)) || count.test(permits) || takeOfAny(permits);
    }

    /** Returns the permits in the stripes. */
    long outstanding() {
        long all = 0;
        for (int stripe = 0; stripe <= mask; stripe++) {
            all += Math.max(0, stripes.get(place(stripe)));
        }
        return all;
    }

    /** Fills a stripe with a batch, minus the permits wanted now. Only one thread at a time fills a stripe. */
    private boolean fill(int at, long there, long permits) {
        if (!stripes.compareAndSet(at, there, BEING_FILLED)) {
            return false;
        }
        boolean filled = false;
        try {
            filled = count.test(batch - there);
        } finally {
            stripes.set(at, filled ? batch - permits : there);
        }
        return filled;
    }

    /** Takes permits from any single stripe that has enough. */
    boolean takeOfAny(long permits) {
        for (int stripe = 0; stripe <= mask; stripe++) {
            int at = place(stripe);
            for (long there = stripes.get(at); there >= permits; there = stripes.get(at)) {
                if (stripes.compareAndSet(at, there, there - permits)) {
                    return true;
                }
            }
        }
        return false;
    }

    private static int number(int processors) {
        int wanted = 1;
        while (wanted < Math.min(MOST, 2 * processors)) {
            wanted *= 2;
        }
        return wanted;
    }

    private static int place(int stripe) {
        return (stripe + 1) * APART;
    }
}
