package io.sluice.core.local;

import java.util.concurrent.atomic.AtomicLongArray;
import java.util.function.LongPredicate;

/**
 * Permits of one count, taken in batches and laid out in stripes, so that threads that ask at the same time do not meet and do
 * not read the clock for each permit. No stripe ever holds a whole batch.
 */
final class Stripes {

    /** Stripes stand this many longs apart, two cache lines: processors fetch neighbours in pairs. */
    private static final int APART = 16;

    private static final int MOST = 64;
    private static final long BEING_FILLED = -1;

    private final AtomicLongArray stripes;
    private final int mask;
    private final long batch;
    private final LongPredicate count;

    /**
     * Empty stripes.
     *
     * @param processors how many threads are expected to ask at the same time
     * @param outstanding how many permits may lie in the stripes at most
     * @param mostAtOnce how many may be taken together at most
     * @param count takes so many permits of the count, or none
     */
    public Stripes(int processors, long outstanding, long mostAtOnce, LongPredicate count) {
        int wanted = number(processors);
        this.mask = wanted - 1;
        this.stripes = new AtomicLongArray((wanted + 1) * APART);
        this.batch = Math.min(mostAtOnce, outstanding / wanted);
        this.count = count;
    }

    /** Whether so many outstanding permits are enough to be laid out: else all permits are taken of the count one by one. */
    static boolean areOfUse(int processors, long outstanding) {
        return outstanding / number(processors) > 1;
    }

    /** Takes permits: of this thread's stripe, else of the count with a batch for later, else of any stripe. */
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

    /** What lies in the stripes. */
    long outstanding() {
        long all = 0;
        for (int stripe = 0; stripe <= mask; stripe++) {
            all += Math.max(0, stripes.get(place(stripe)));
        }
        return all;
    }

    /** Lays a batch into a stripe, less what is wanted of it now. Only one thread at a time fills a stripe. */
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

    /** Takes permits that lie in one stripe, whosever it is. */
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
