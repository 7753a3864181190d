package io.sluice.benchmarks.keep;

import java.util.concurrent.atomic.AtomicLongArray;

/** How many requests of each class came and passed, second by second. Thread-safe. */
final class Shares {

    private final int seconds;
    private final AtomicLongArray offered;
    private final AtomicLongArray admitted;

    Shares(int seconds) {
        this.seconds = seconds;
        this.offered = new AtomicLongArray(seconds * Plan.values().length);
        this.admitted = new AtomicLongArray(seconds * Plan.values().length);
    }

    void add(Plan plan, int second, boolean passed) {
        offered.incrementAndGet(at(plan, second));
        if (passed) {
            admitted.incrementAndGet(at(plan, second));
        }
    }

    int seconds() {
        return seconds;
    }

    long offered(Plan plan, int second) {
        return offered.get(at(plan, second));
    }

    long admitted(Plan plan, int second) {
        return admitted.get(at(plan, second));
    }

    private int at(Plan plan, int second) {
        return second
                + seconds
                        * switch (plan) {
                            case TOP -> 0;
                            case FREE -> 1;
                            case BATCH -> 2;
                        };
    }

    /** Returns the requests of a class in the seconds from {@code from} on. */
    long offeredSince(Plan plan, int from) {
        long sum = 0;
        for (int second = from; second < seconds; second++) {
            sum += offered(plan, second);
        }
        return sum;
    }

    /** Returns the requests of a class that passed in the seconds from {@code from} on. */
    long admittedSince(Plan plan, int from) {
        long sum = 0;
        for (int second = from; second < seconds; second++) {
            sum += admitted(plan, second);
        }
        return sum;
    }
}
