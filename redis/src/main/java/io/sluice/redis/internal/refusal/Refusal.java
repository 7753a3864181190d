package io.sluice.redis.internal.refusal;

import io.sluice.core.spi.Demand;

/**
 * What a count has refused, and until when it refuses whoever asks for as much. Immutable; times by the clock of this process.
 *
 * <p>Who asks for more is refused as well: no algorithm has room for more than for less. More is a larger smallest grant; from
 * those who would wait it is also no longer a wait and no fewer permits, because a later slot is found for all permits or for
 * none.
 *
 * @param atLeast the smallest grant that was refused
 * @param permits what would have been waited for
 * @param maxWaitMicros for how long
 * @param askedNanos before the question was sent
 * @param untilNanos the first moment that it says nothing about: what Redis named, counted from the question, because it
 *     cannot have been answered earlier
 * @param retryNanos what callers are told: what Redis named, counted from the answer, because it was not given later
 */
public record Refusal(
        long atLeast, long permits, long maxWaitMicros, long askedNanos, long untilNanos, long retryNanos) {

    public boolean isOver(long nowNanos) {
        return nowNanos - untilNanos >= 0;
    }

    /** Whether the demand asks for as much or more. */
    public boolean covers(Demand demand) {
        if (demand.maxWaitMicros() > 0 && (demand.maxWaitMicros() > maxWaitMicros || demand.permits() < permits)) {
            return false;
        }
        return demand.atLeast() >= atLeast;
    }
}
