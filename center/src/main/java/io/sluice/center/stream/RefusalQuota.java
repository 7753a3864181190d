package io.sluice.center.stream;

/** Limits a listener to 20 refusals per second. Used by one thread at a time. */
final class RefusalQuota {

    static final int MOST = 20;

    private long second = Long.MIN_VALUE;
    private int used;

    /** Returns whether there is room in a second. */
    synchronized boolean isFree(long nowSecond) {
        return nowSecond != second || used < MOST;
    }

    synchronized void take(long nowSecond) {
        used = nowSecond == second ? used + 1 : 1;
        second = nowSecond;
    }
}
