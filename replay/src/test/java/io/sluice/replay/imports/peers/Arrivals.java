package io.sluice.replay.imports.peers;

import io.sluice.testkit.SeededRandom;

/** Times at which requests arrive: bursts, a busy stretch and pauses, drawn from a seed. */
final class Arrivals {

    private Arrivals() {}

    /**
     * Returns times in milliseconds, not decreasing.
     *
     * @param meanMillis the mean distance while it is busy
     */
    static long[] millis(SeededRandom random, long start, int count, int meanMillis) {
        long[] times = new long[count];
        long now = start;
        for (int i = 0; i < count; i++) {
            int kind = random.nextInt(20);
            now += kind == 0 ? random.nextInt(40 * meanMillis + 1) : kind < 8 ? 0 : random.nextInt(2 * meanMillis + 1);
            times[i] = now;
        }
        return times;
    }
}
