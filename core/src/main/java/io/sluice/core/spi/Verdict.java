package io.sluice.core.spi;

/**
 * The result of one limit for one demand. Immutable; times are in microseconds, counted from the decision.
 *
 * @param fits whether this limit would let the demand pass
 * @param granted the permits charged; 0 if nothing was charged because this or another limit refused, the ask only looked or the
 *     demand wanted none
 * @param remaining the permits left after the decision, rounded down
 * @param retryAfterMicros 0 if it fits; otherwise the time until a lone caller passes, or {@link #NEVER}
 * @param resetAfterMicros the time until the limit is as if unused, or {@link #NEVER}
 * @param waitMicros how long the caller of an admitted demand must wait for its time slot; 0 means now
 * @param chargedAtMicros the time of the charge by the engine's clock, which is needed to give it back; {@link #FINAL} if it
 *     cannot be given back
 * @param keptForOthers whether this limit refuses only because of {@link Demand#keep}: without it, the demand would have fitted. A
 *     demand that wants no permits is then taken for one that wants one permit, so this says that a permit is left
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

    /** Waiting will not help. */
    public static final long NEVER = Long.MAX_VALUE;

    /** The charge is on a count that several keys share, so it cannot be attributed and given back later. */
    public static final long FINAL = Long.MIN_VALUE;

    /** Creates a verdict on a demand that keeps nothing for others, or that fits. */
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
     * Returns the verdict for a limit that was not asked because another one refuses anyway. It does not refuse. Nothing is
     * known about its remaining permits, except that they are at most its capacity.
     */
    public static Verdict unasked(long capacity, long atMicros) {
        return new Verdict(true, 0, capacity, 0, 0, 0, atMicros);
    }

    /**
     * Returns whether this is the verdict of a limit that was {@linkplain #unasked not asked}, or of one that is unused: the two
     * look alike.
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
