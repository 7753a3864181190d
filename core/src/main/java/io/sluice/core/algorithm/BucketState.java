package io.sluice.core.algorithm;

/**
 * What is used of a bucket that empties at a {@link Pace}: {@code used} whole permits and {@code parts / of} of one more, as of
 * {@code atMicros}. Immutable.
 *
 * <p>The denominator {@code of} is the {@link Pace#micros()} it was counted with, so that a change of rate can carry over
 * what was used exactly.
 */
public record BucketState(long used, long parts, long of, long atMicros) {

    /** Longer idleness changes nothing; keeps the products of {@link Pace} in range. */
    private static final long MAX_ELAPSED = 1L << 52;

    /** A bucket that nobody has used. */
    public static BucketState fresh(long nowMicros) {
        return new BucketState(0, 0, 1, nowMicros);
    }

    /**
     * What is left used at {@code nowMicros}. If the rate changed since the state was written, the whole elapsed time
     * counts at the rate now in force.
     */
    public BucketState at(Pace pace, long nowMicros) {
        if (isUnused()) {
            return new BucketState(0, 0, pace.micros(), nowMicros);
        }
        long now = StepBack.effective(atMicros, nowMicros);
        long carried = of == pace.micros() ? parts : new Pace(1, of).partsAs(pace, parts);
        return less(pace, used, carried, Math.max(0, now - atMicros), now);
    }

    /** The same with {@code permits} more used. */
    public BucketState plus(long permits) {
        return new BucketState(used + permits, parts, of, atMicros);
    }

    /**
     * The same, aged to the present, with {@code permits}, charged at {@code chargedAtMicros}, given back as far as they still
     * count: less what has flowed since. A bucket that was charged is ahead of one that was not by the charge, less at
     * most what flowed since, because only the flow that an unused bucket wastes brings them together. So giving back that
     * much leaves no less used than if the charge had never been made.
     */
    public BucketState giveBack(Pace pace, long permits, long chargedAtMicros) {
        if (pace.isZero() || StepBack.rebases(chargedAtMicros, atMicros)) {
            return this;
        }
        long elapsed = Math.max(0, atMicros - chargedAtMicros);
        BucketState back = less(pace, permits, 0, elapsed, atMicros);
        long whole = used - back.used;
        long rest = parts - back.parts;
        if (rest < 0) {
            whole--;
            rest += of;
        }
        return whole < 0 ? new BucketState(0, 0, of, atMicros) : new BucketState(whole, rest, of, atMicros);
    }

    /**
     * What a refusal leaves behind of this state, which it saw as {@code aged}: the same, unless time stepped back too far
     * to wait. That is written down, or time would never go on from there.
     */
    public BucketState refused(BucketState aged) {
        return aged.atMicros < atMicros ? aged : this;
    }

    public boolean isUnused() {
        return used == 0 && parts == 0;
    }

    /** Whole permits that are at least partly used. */
    public long usedUp() {
        return used + (parts > 0 ? 1 : 0);
    }

    /**
     * Microseconds from now until no more than {@code level} permits are used; 0 if that is so. Where time was clamped it
     * must catch up first.
     */
    public long microsUntil(Pace pace, long level, long nowMicros) {
        long over = used - level;
        if (over < 0 || (over == 0 && parts == 0)) {
            return 0;
        }
        return Math.min(Pace.MAX_MICROS, atMicros - nowMicros + pace.microsFor(over, parts));
    }

    private static BucketState less(Pace pace, long used, long parts, long elapsedMicros, long atMicros) {
        long elapsed = Math.min(MAX_ELAPSED, elapsedMicros);
        long whole = used - pace.wholeIn(elapsed);
        long rest = parts - pace.partsIn(elapsed);
        if (rest < 0) {
            whole--;
            rest += pace.micros();
        } else if (rest >= pace.micros()) {
            whole++;
            rest -= pace.micros();
        }
        return whole < 0
                ? new BucketState(0, 0, pace.micros(), atMicros)
                : new BucketState(whole, rest, pace.micros(), atMicros);
    }
}
