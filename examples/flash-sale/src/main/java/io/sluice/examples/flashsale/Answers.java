package io.sluice.examples.flashsale;

import java.util.Arrays;
import java.util.concurrent.TimeUnit;

/** Counts the responses. One thread writes. Others may read the counts at any time, and the times after that thread has ended. */
final class Answers {

    private volatile long created;
    private volatile long refused;
    private volatile long withoutWhen;
    private volatile long failed;
    private volatile long lost;
    private int[] micros = new int[1 << 16];
    private int size;

    void add(int status, boolean saysWhen, long nanos) {
        if (size == micros.length) {
            micros = Arrays.copyOf(micros, 2 * size);
        }
        micros[size++] = (int) Math.min(Integer.MAX_VALUE, TimeUnit.NANOSECONDS.toMicros(nanos));
        if (status / 100 == 2) {
            created++;
        } else if (status == 429) {
            if (!saysWhen) {
                withoutWhen++;
            }
            refused++;
        } else {
            failed++;
        }
    }

    void addLost() {
        lost++;
    }

    /** Responses with status 201. */
    long created() {
        return created;
    }

    /** Responses with status 429. */
    long refused() {
        return refused;
    }

    /** Responses with status 429 that did not say when to try again. */
    long withoutWhen() {
        return withoutWhen;
    }

    /** Responses with any other status. */
    long failed() {
        return failed;
    }

    /** Requests without a response, because the connection broke. */
    long lost() {
        return lost;
    }

    long count() {
        return created + refused + failed + lost;
    }

    /** Returns the time within which this part of the responses arrived, in milliseconds. */
    double withinMillis(double part) {
        if (size == 0) {
            return 0;
        }
        int[] sorted = Arrays.copyOf(micros, size);
        Arrays.sort(sorted);
        return sorted[(int) Math.min(size - 1, Math.floor(part * size))] / 1000.0;
    }
}
