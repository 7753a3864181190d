package io.sluice.core.algorithm;

import io.sluice.core.TokenBucket;
import io.sluice.core.spi.Demand;
import io.sluice.core.spi.Verdict;

/**
 * The arithmetic of {@link TokenBucket}: state, demand and time in, new state and verdict out. The Lua twin is the bucket
 * part of {@code decide.lua}; golden vectors keep the two alike.
 *
 * <p>Rounding is written here once. Used permits are counted exactly. {@code remaining} is rounded down, waits are rounded
 * up to the next microsecond: the wait that is named is the first at which the demand passes.
 */
public final class TokenBuckets {

    /** Longer idleness changes nothing; keeps the products of {@link Pace} in range. */
    private static final long MAX_ELAPSED = 1L << 52;

    private TokenBuckets() {}

    /**
     * What is left used at {@code nowMicros}. If the rate changed since the state was written, the whole elapsed time
     * counts at the rate now in force.
     */
    public static BucketState at(TokenBucket limit, BucketState state, long nowMicros) {
        Pace pace = limit.pace();
        if (state.isUnused()) {
            return new BucketState(0, 0, pace.micros(), nowMicros);
        }
        long now = StepBack.effective(state.atMicros(), nowMicros);
        long elapsed = Math.min(MAX_ELAPSED, Math.max(0, now - state.atMicros()));
        long parts = carry(state, pace);
        long used = state.used();
        if (parts >= pace.micros()) {
            used++;
            parts -= pace.micros();
        }
        used -= pace.wholeIn(elapsed);
        parts -= pace.partsIn(elapsed);
        if (parts < 0) {
            used--;
            parts += pace.micros();
        }
        return used < 0 ? new BucketState(0, 0, pace.micros(), now) : new BucketState(used, parts, pace.micros(), now);
    }

    /**
     * How many permits the demand gets of a bucket aged to the present; 0 refuses. All it asks for, if they are there or
     * will be within the wait it allows; else what is there, if that is enough for it.
     */
    public static long grant(TokenBucket limit, BucketState aged, Demand demand, long nowMicros) {
        long room = remaining(limit, aged);
        if (demand.permits() <= room) {
            return demand.permits();
        }
        if (demand.maxWaitMicros() > 0
                && demand.permits() <= limit.capacity()
                && microsUntil(limit, aged, demand.permits(), nowMicros) <= demand.maxWaitMicros()) {
            return demand.permits();
        }
        return demand.atLeast() <= room ? room : 0;
    }

    /**
     * What the demand is told.
     *
     * @param grant what {@link #grant} said of {@code aged}
     * @param charged whether the grant was charged, or the demand only looked or failed on another limit
     */
    public static Verdict verdict(
            TokenBucket limit, BucketState aged, Demand demand, long grant, boolean charged, long nowMicros) {
        BucketState after = charged ? aged.plus(grant) : aged;
        boolean never = demand.atLeast() > limit.capacity();
        long reset = after.isUnused()
                ? 0
                : limit.pace().isZero() ? Verdict.NEVER : microsUntil(limit, after, limit.capacity(), nowMicros);
        return new Verdict(
                grant > 0,
                charged ? grant : 0,
                remaining(limit, after),
                grant > 0 ? 0 : never ? Verdict.NEVER : microsUntil(limit, aged, demand.atLeast(), nowMicros),
                reset,
                grant > 0 ? microsUntil(limit, aged, grant, nowMicros) : 0,
                aged.atMicros());
    }

    /**
     * The state with {@code permits}, charged at {@code chargedAtMicros}, given back as far as they still count: less what
     * has flowed in since. A bucket that was charged is ahead of one that was not by the charge, less at most what flowed
     * in since, because only the refill that a full bucket wastes brings them together. So giving back that much leaves
     * the bucket no fuller than if the charge had never been made.
     */
    public static BucketState giveBack(TokenBucket limit, BucketState aged, long permits, long chargedAtMicros) {
        Pace pace = limit.pace();
        if (pace.isZero() || StepBack.rebases(chargedAtMicros, aged.atMicros())) {
            return aged;
        }
        long elapsed = Math.min(MAX_ELAPSED, Math.max(0, aged.atMicros() - chargedAtMicros));
        long back = permits - pace.wholeIn(elapsed);
        long backParts = -pace.partsIn(elapsed);
        if (backParts < 0) {
            back--;
            backParts += pace.micros();
        }
        if (back < 0) {
            return aged;
        }
        long used = aged.used() - back;
        long parts = aged.parts() - backParts;
        if (parts < 0) {
            used--;
            parts += pace.micros();
        }
        return used < 0
                ? new BucketState(0, 0, pace.micros(), aged.atMicros())
                : new BucketState(used, parts, pace.micros(), aged.atMicros());
    }

    /**
     * What a refusal leaves behind of {@code state}, which it saw as {@code aged}: the same, unless time stepped back too far
     * to wait. That is written down, or time would never go on from there.
     */
    public static BucketState refuse(BucketState state, BucketState aged) {
        return aged.atMicros() < state.atMicros() ? aged : state;
    }

    private static long remaining(TokenBucket limit, BucketState aged) {
        return Math.max(0, limit.capacity() - aged.used() - (aged.parts() > 0 ? 1 : 0));
    }

    /**
     * Microseconds from now until {@code permits}, at most the capacity, fit; 0 if they do. Where time was clamped it must
     * catch up first.
     */
    private static long microsUntil(TokenBucket limit, BucketState aged, long permits, long nowMicros) {
        long over = aged.used() + permits - limit.capacity();
        if (over < 0 || (over == 0 && aged.parts() == 0)) {
            return 0;
        }
        long wait = limit.pace().microsFor(over, aged.parts());
        return Math.min(Pace.MAX_MICROS, aged.atMicros() - nowMicros + wait);
    }

    private static long carry(BucketState state, Pace pace) {
        return state.of() == pace.micros() ? state.parts() : new Pace(1, state.of()).partsAs(pace, state.parts());
    }
}
