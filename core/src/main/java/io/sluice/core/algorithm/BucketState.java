package io.sluice.core.algorithm;

import io.sluice.core.limit.Pace;
import io.sluice.core.spi.Settlement;

/**
 * The used amount of a bucket that drains at a {@link Pace}: {@code used} whole permits and {@code parts / pace.micros()} of another
 * permit, as of {@code atMicros}. Immutable.
 *
 * @param pace the pace that it is counted with, and at which it drains until an ask comes with another pace
 * @param sinceMicros the time since which it has drained at this pace without time stepping back. The flow since earlier charges is
 *     unknown, so they are not given back
 */
public record BucketState(long used, long parts, Pace pace, long atMicros, long sinceMicros) {

    /**
     * The maximum idle time that is counted. A longer time would make no difference, and the bound keeps the products of {@link Pace} in
     * range.
     */
    private static final long MAX_ELAPSED = 1L << 52;

    private static final Pace NONE = new Pace(0, 1);

    /** Returns the state of an unused bucket. */
    public static BucketState fresh(long nowMicros) {
        return new BucketState(0, 0, NONE, nowMicros, nowMicros);
    }

    /**
     * Returns the amount still used at {@code nowMicros}, as a state that continues at {@code next}. The elapsed time counts at the pace of
     * this state even if the rate has changed since: the new pace begins with the first ask that uses it. So a count that has drained and
     * was forgotten gives the same answers as a count that still exists.
     *
     * <p>A pace of zero admits no permits and drains none. Under it, the state keeps its own pace and continues to drain.
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

    /** Returns this state with {@code permits} more used. */
    public BucketState plus(long permits) {
        return new BucketState(used + permits, parts, pace, atMicros, sinceMicros);
    }

    /**
     * Returns this state after giving back {@code permits} that were charged at {@code chargedAtMicros}, as far as they still count: less
     * the flow since then. This does not age the state; the next ask does. A charged bucket is ahead of an uncharged bucket by the charge,
     * less at most the flow since then, because only the flow that an unused bucket wastes brings the two together. So giving back this
     * amount never leaves less used than if the charge had never been made.
     */
    public BucketState giveBack(long permits, long chargedAtMicros, long nowMicros) {
        return giveBack(permits, 0, chargedAtMicros, nowMicros);
    }

    /** Gives back the part of the charged permits that is left, except the part of the really used permits that is left. */
    private BucketState giveBack(long charged, long really, long chargedAtMicros, long nowMicros) {
        if (chargedAtMicros < sinceMicros || pace.isZero() || StepBack.rebases(chargedAtMicros, atMicros)) {
            return this;
        }
        BucketState left = left(charged, chargedAtMicros, nowMicros);
        BucketState stays = left(really, chargedAtMicros, nowMicros);
        return with(used - left.used + stays.used, parts - left.parts + stays.parts);
    }

    /** Returns the part that is left of permits charged to an unused bucket. */
    private BucketState left(long permits, long chargedAtMicros, long nowMicros) {
        return new BucketState(permits, 0, pace, atMicros, sinceMicros)
                .less(Math.max(0, Math.max(atMicros, nowMicros) - chargedAtMicros));
    }

    /**
     * Returns the state in which a settlement finds this bucket: aged at its own pace, so that a settlement does not bring back the pace of
     * its reservation. A bucket that has drained continues at {@code pace}, like a bucket that was forgotten.
     */
    public BucketState atSettlement(Pace pace, long nowMicros) {
        BucketState aged = at(this.pace, nowMicros);
        return aged.isUnused() ? new BucketState(0, 0, pace, nowMicros, nowMicros) : aged;
    }

    /**
     * Returns this state after a settlement: permits used beyond the reservation are charged even if they do not fit, and unused permits
     * are given back. An unused bucket without a pace keeps no charge, because it would never drain.
     *
     * <p>A bucket that was charged with the reservation is ahead of a bucket that was charged with the real figure by the difference, less
     * at most the flow that the other bucket wasted while it was unused. The other bucket was not unused before the real figure had flowed.
     *
     * @param nowMicros the time of {@link #atSettlement}
     */
    public BucketState settle(Settlement settlement, long nowMicros) {
        long more = settlement.more();
        if (more < 0) {
            return giveBack(settlement.reserved(), settlement.actual(), settlement.chargedAtMicros(), nowMicros);
        }
        return pace.isZero() ? this : plus(Math.min(more, Count.MOST_USED - used));
    }

    /** Returns the number of permits that are used here beyond those used in a state with the same pace, rounded towards zero. */
    public long over(BucketState other) {
        long whole = used - other.used;
        long rest = parts - other.parts;
        return whole > 0 && rest < 0 ? whole - 1 : whole < 0 && rest > 0 ? whole + 1 : whole;
    }

    /**
     * Returns the state after a refusal, given that it saw this state as {@code aged}. It is this state, unless time stepped back too far
     * to wait for or the pace is different; it is then {@code aged}. Otherwise time would never continue from there, and a full bucket
     * would keep draining at the old rate for as long as every ask is refused. A drained bucket is left as it is: it would not be stored,
     * and time may still step back a little.
     */
    public BucketState refused(BucketState aged) {
        return aged.atMicros < atMicros || (!aged.pace.equals(pace) && !aged.isUnused()) ? aged : this;
    }

    public boolean isUnused() {
        return used == 0 && parts == 0;
    }

    /** Returns the number of permits that are at least partly used. */
    public long usedUp() {
        return used + (parts > 0 ? 1 : 0);
    }

    /**
     * Returns the microseconds from now until at most {@code level} permits are used, or 0 if they already are. If time was clamped, it
     * must catch up first.
     */
    public long microsUntil(Pace pace, long level, long nowMicros) {
        long over = used - level;
        if (over < 0 || (over == 0 && parts == 0)) {
            return 0;
        }
        return Math.min(Pace.MAX_MICROS, atMicros - nowMicros + pace.microsFor(over, parts));
    }

    /** Returns this state after more time has passed. */
    private BucketState less(long elapsedMicros) {
        long elapsed = Math.min(MAX_ELAPSED, elapsedMicros);
        return with(used - pace.wholeIn(elapsed), parts - pace.partsIn(elapsed));
    }

    /** Returns this state counted with another pace from now on, rounded up by less than one part of it. */
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
