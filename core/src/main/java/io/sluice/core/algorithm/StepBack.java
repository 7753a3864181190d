package io.sluice.core.algorithm;

/**
 * What a count does when time steps back. A step of up to a second is clamped: time stands still until it has caught up.
 * A larger one (another host's clock after a failover) re-bases the count: it goes on from the new time with what was
 * used. Neither refills anything. (A fixed window is another one after such a step over its edge: a clock that swings around an
 * edge by more than a second opens it anew with each swing.)
 */
public final class StepBack {

    public static final long CLAMPED_MICROS = 1_000_000;

    private StepBack() {}

    /** The time a count last written at {@code atMicros} takes {@code nowMicros} for. */
    public static long effective(long atMicros, long nowMicros) {
        return nowMicros < atMicros && !rebases(atMicros, nowMicros) ? atMicros : nowMicros;
    }

    /** Whether the step is too large to wait it out. */
    public static boolean rebases(long atMicros, long nowMicros) {
        return atMicros - nowMicros > CLAMPED_MICROS;
    }
}
