package io.sluice.core.algorithm;

/**
 * Defines the behaviour of a count when time steps back. A step of up to a second is clamped: time stands still until it has
 * caught up. A larger step, such as to another host's clock after a failover, rebases the count: it continues from the new time
 * with the same use. Neither refills any permits. (After a large step across its boundary, a fixed window is a different
 * window: a clock that swings around a boundary by more than a second starts the window again with each swing.)
 */
public final class StepBack {

    public static final long CLAMPED_MICROS = 1_000_000;

    private StepBack() {}

    /** Returns the time to use at {@code nowMicros} for a count that was last written at {@code atMicros}. */
    public static long effective(long atMicros, long nowMicros) {
        return nowMicros < atMicros && !rebases(atMicros, nowMicros) ? atMicros : nowMicros;
    }

    /** Returns whether the step back is too large to wait for. */
    public static boolean rebases(long atMicros, long nowMicros) {
        return atMicros - nowMicros > CLAMPED_MICROS;
    }
}
