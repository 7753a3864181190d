package io.sluice.redis.internal.refusal;

import io.sluice.core.spi.Demand;

/**
 * A demand that a count has refused, and the time until which it refuses demands for as much. Immutable. Times are by the clock of this
 * process.
 *
 * <p>A demand for more is refused as well, because no algorithm has room for more than for less. "More" means that at least as many permits
 * must be free: the minimum grant and the permits kept for other callers. For demands that would wait, it also means a wait that is no
 * longer and permits that are no fewer, because a later slot is found for all permits or for none.
 *
 * @param needed the number of free permits that the demand needed and the count did not have, see {@link Demand#needed}
 * @param permits the number of permits that the demand would have waited for
 * @param maxWaitMicros the time that the demand would have waited; 0 if it keeps permits for other callers, because it may get no later
 *     slot
 * @param askedNanos the time before the request was sent
 * @param untilNanos the time at which the refusal stops applying: the retry time of Redis, counted from the request, because Redis cannot
 *     have answered earlier
 * @param retryNanos the retry time for callers: the retry time of Redis, counted from the answer, because Redis cannot have answered later
 */
public record Refusal(
        long needed, long permits, long maxWaitMicros, long askedNanos, long untilNanos, long retryNanos) {

    public boolean isOver(long nowNanos) {
        return nowNanos - untilNanos >= 0;
    }

    /** Returns whether the demand asks for as much or more. */
    public boolean covers(Demand demand) {
        // A demand that keeps permits for other callers gets no later slot of a token bucket, but a place in the queue
        // of a leaky bucket.
        long wait = demand.keep() > 0 && demand.limit().kind().grantsAhead() ? 0 : demand.maxWaitMicros();
        if (wait > 0 && (wait > maxWaitMicros || demand.permits() < permits)) {
            return false;
        }
        return demand.needed() >= needed;
    }
}
