package io.sluice.core.spi;

/**
 * The result of one limit for one demand. Immutable; times are in microseconds, counted from the decision.
 *
 * @param fits whether this limit would let the demand pass
 * @param granted the charged permits; 0 if this or another limit refused, the ask only looked or the demand was for no permits
 * @param remaining the permits left after the decision, rounded down
 * @param retryAfterMicros 0 if it fits; otherwise the time until a lone caller passes, or {@link #NEVER}
 * @param resetAfterMicros the time until the limit is as if unused, or {@link #NEVER}
 * @param waitMicros the time that the caller of an admitted demand must wait for its time slot; 0 if it may proceed now
 * @param chargedAtMicros the time of the charge by the engine's clock, which is needed to give it back; {@link #FINAL} if it
 *     cannot be given back
 * @param keptForOthers whether this limit refuses only because of {@link Demand#keep}: without it, the demand would have fitted. A demand
 *     for no permits then counts as a demand for one permit, so this shows that a permit is left
 */
public record Verdict(
        boolean fits,
        long granted,
        long remaining,
        long retryAfterMicros,
        long resetAfterMicros,
        long waitMicros,
        long chargedAtMicros,
        boolean keptForOthers) {

    /** The retry time if waiting will not help. */
    public static final long NEVER = Long.MAX_VALUE;

    /** The time of a charge on a count that several keys share, which cannot be attributed and given back later. */
    public static final long FINAL = Long.MIN_VALUE;

    /** Creates a verdict on a demand that keeps no permits for other callers, or that fits. */
    public Verdict(
            boolean fits,
            long granted,
            long remaining,
            long retryAfterMicros,
            long resetAfterMicros,
            long waitMicros,
            long chargedAtMicros) {
        this(fits, granted, remaining, retryAfterMicros, resetAfterMicros, waitMicros, chargedAtMicros, false);
    }

    /**
     * Returns the verdict for a limit that was not asked because another limit refuses anyway. It does not refuse. Its remaining permits
     * are unknown, except that they are at most its capacity.
     */
    public static Verdict unasked(long capacity, long atMicros) {
        return new Verdict(true, 0, capacity, 0, 0, 0, atMicros);
    }

    /**
     * Returns whether this is the verdict of a limit that was {@linkplain #unasked not asked}, or of an unused limit: both have the same
     * verdict.
     *
     * @param capacity the capacity of the limit
     */
    public boolean isUnasked(long capacity) {
        return equals(unasked(capacity, chargedAtMicros));
    }

    /** Returns this verdict with a charge that cannot be given back. */
    public Verdict withoutReturn() {
        return new Verdict(
                fits, granted, remaining, retryAfterMicros, resetAfterMicros, waitMicros, FINAL, keptForOthers);
    }
}
