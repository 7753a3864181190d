package io.sluice.core.algorithm;

import io.sluice.core.limit.Pace;

/**
 * What is used of a bucket that empties at a {@link Pace}: {@code used} whole permits and {@code parts / pace.micros()} of one
 * more, as of {@code atMicros}. Immutable.
 *
 * @param pace what it is counted with, and empties at until somebody asks at another one
 * @param sinceMicros since when it has emptied at this pace, with time going forward. Of what was charged before, nobody can
 *     tell how much has flowed: that is not given back
 */
public record BucketState(long used, long parts, Pace pace, long atMicros, long sinceMicros) {

    /** Longer idleness changes nothing; keeps the products of {@link Pace} in range. */
    private static final long MAX_ELAPSED = 1L << 52;

    private static final Pace NONE = new Pace(0, 1);

    /** A bucket that nobody has used. */
    public static BucketState fresh(long nowMicros) {
        return new BucketState(0, 0, NONE, nowMicros, nowMicros);
    }

    /**
     * What is left used at {@code nowMicros}, as a state that goes on at {@code next}. The elapsed time counts at the pace of
     * this state, also if the rate has changed since: the new pace begins at the moment at which somebody first asks by it. So
     * a count that has drained, and was forgotten, gives the same answers as one that is still there.
     *
     * <p>A pace of zero admits nothing and drains nothing. The state keeps its own pace under it, and goes on draining.
     */
    public BucketState at(Pace next, long nowMicros) {
        if (isUnused()) {
            return new BucketState(0, 0, next, nowMicros, nowMicros);
        }
        long now = StepBack.effective(atMicros, nowMicros);
        long since = now < atMicros ? Math.max(sinceMicros, atMicros + 1) : sinceMicros;
        BucketState aged = new BucketState(used, parts, pace, now, since).less(Math.max(0, now - atMicros));
        return next.equals(pace) || next.isZero() ? aged : aged.as(next);
    }

    /** The same with {@code permits} more used. */
    public BucketState plus(long permits) {
        return new BucketState(used + permits, parts, pace, atMicros, sinceMicros);
    }

    /**
     * The same with {@code permits}, charged at {@code chargedAtMicros}, given back as far as they still count: less what has
     * flowed since. Nothing ages: the next ask does that. A bucket that was charged is ahead of one that was not by the
     * charge, less at most what flowed since, because only the flow that an unused bucket wastes brings them together. So giving
     * back that much leaves no less used than if the charge had never been made.
     */
    public BucketState giveBack(long permits, long chargedAtMicros, long nowMicros) {
        if (chargedAtMicros < sinceMicros || pace.isZero() || StepBack.rebases(chargedAtMicros, atMicros)) {
            return this;
        }
        BucketState back = new BucketState(permits, 0, pace, atMicros, sinceMicros)
                .less(Math.max(0, Math.max(atMicros, nowMicros) - chargedAtMicros));
        return with(used - back.used, parts - back.parts);
    }

    /**
     * What a refusal leaves behind of this state, which it saw as {@code aged}: the same, unless time stepped back too far
     * to wait, or the pace is another one. That is written down. Else time would never go on from there, and a bucket that is
     * full would go on draining at the old rate for as long as everybody is refused. A bucket that has drained is left as it is: it
     * would not be remembered, and time may yet step back a little.
     */
    public BucketState refused(BucketState aged) {
        return aged.atMicros < atMicros || (!aged.pace.equals(pace) && !aged.isUnused()) ? aged : this;
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

    /** The same when so much time has passed. */
    private BucketState less(long elapsedMicros) {
        long elapsed = Math.min(MAX_ELAPSED, elapsedMicros);
        return with(used - pace.wholeIn(elapsed), parts - pace.partsIn(elapsed));
    }

    /** The same counted with another pace from now on, rounded up by less than one part of it. */
    private BucketState as(Pace next) {
        return new BucketState(0, 0, next, atMicros, Math.max(sinceMicros, atMicros))
                .with(used, pace.partsAs(next, parts));
    }

    private BucketState with(long whole, long rest) {
        long carry = rest < 0 ? -1 : rest >= pace.micros() ? 1 : 0;
        return whole + carry < 0
                ? new BucketState(0, 0, pace, atMicros, sinceMicros)
                : new BucketState(whole + carry, rest - carry * pace.micros(), pace, atMicros, sinceMicros);
    }
}
