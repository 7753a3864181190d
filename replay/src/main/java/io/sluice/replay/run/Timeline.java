package io.sluice.replay.run;

/**
 * Counts by time in a fixed number of equal steps. When the log continues beyond them, steps are joined in pairs, so memory does not depend
 * on its length. Not thread-safe.
 */
final class Timeline {

    private static final int STEPS = 240;
    private static final long SECOND = 1_000_000;

    private final long startMicros;
    private final long[] allowed = new long[STEPS];
    private final long[] refused = new long[STEPS];
    private long stepMicros = SECOND;
    private int used;

    Timeline(long startMicros) {
        this.startMicros = Math.floorDiv(startMicros, SECOND) * SECOND;
    }

    void add(long atMicros, boolean wasAllowed) {
        long step = (atMicros - startMicros) / stepMicros;
        while (step >= STEPS) {
            join(allowed);
            join(refused);
            stepMicros *= 2;
            used = (used + 1) / 2;
            step = (atMicros - startMicros) / stepMicros;
        }
        (wasAllowed ? allowed : refused)[(int) step]++;
        used = Math.max(used, (int) step + 1);
    }

    private static void join(long[] counts) {
        for (int i = 0; i < STEPS; i++) {
            counts[i] = i < STEPS / 2 ? counts[2 * i] + counts[2 * i + 1] : 0;
        }
    }

    Series series() {
        return new Series(startMicros, stepMicros, Series.list(allowed, used), Series.list(refused, used));
    }
}
