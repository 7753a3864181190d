package io.sluice.examples.flashsale;

import java.util.Arrays;
import java.util.concurrent.TimeUnit;

/** What clients were told. One thread writes; others read the counts at any time, and the times when it has ended. */
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

    /** Answered with 201. */
    long created() {
        return created;
    }

    /** Answered with 429. */
    long refused() {
        return refused;
    }

    /** Of these, how many did not say when to come again. */
    long withoutWhen() {
        return withoutWhen;
    }

    /** Answered with anything else. */
    long failed() {
        return failed;
    }

    /** Not answered, because the connection broke. */
    long lost() {
        return lost;
    }

    long count() {
        return created + refused + failed + lost;
    }

    /** The time within which this part of the answers came, in milliseconds. */
    double withinMillis(double part) {
        if (size == 0) {
            return 0;
        }
        int[] sorted = Arrays.copyOf(micros, size);
        Arrays.sort(sorted);
        return sorted[(int) Math.min(size - 1, Math.floor(part * size))] / 1000.0;
    }
}
