package io.sluice.core.spi;

/**
 * What one limit said of one demand. Immutable; times in microseconds, counted from the decision.
 *
 * @param fits whether this limit would let the demand pass
 * @param granted permits charged; 0 if nothing was charged, because this or another limit refused or the ask only looked
 * @param remaining permits left after the decision, rounded down
 * @param retryAfterMicros 0 if it fits; else the first moment at which a lone caller passes, or {@link #NEVER}
 * @param resetAfterMicros until the limit is as if unused, or {@link #NEVER}
 * @param waitMicros how long the caller of an admitted demand has to wait for its time slot; 0 means now
 * @param chargedAtMicros the engine's time of the charge, which a give-back has to name; {@link #FINAL} if it cannot be given
 *     back
 */
public record Verdict(
        boolean fits,
        long granted,
        long remaining,
        long retryAfterMicros,
        long resetAfterMicros,
        long waitMicros,
        long chargedAtMicros) {

    /** Waiting will not help. */
    public static final long NEVER = Long.MAX_VALUE;

    /** The charge was made on a count that others share, and nobody could say later which. */
    public static final long FINAL = Long.MIN_VALUE;

    /**
     * What is said of a limit that nobody asked, because another one refuses in any case: that it does not refuse, and nothing
     * is known of what it has left but that it is no more than its capacity.
     */
    public static Verdict unasked(long capacity, long atMicros) {
        return new Verdict(true, 0, capacity, 0, 0, 0, atMicros);
    }

    /** The same, and what was charged stays charged. */
    public Verdict withoutReturn() {
        return new Verdict(fits, granted, remaining, retryAfterMicros, resetAfterMicros, waitMicros, FINAL);
    }
}
