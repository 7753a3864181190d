package io.sluice.redis.internal.wire;

/** The store's answer to a {@link LeaseRequest}. Times are in microseconds. Durations start at {@code atMicros}, the store's time. */
public sealed interface LeaseReply {

    /**
     * The permits are charged and may be spent.
     *
     * @param permits the number of permits, at least the requested minimum
     * @param endsAfterMicros the time until the lease ends
     * @param waitMicros the time until the first time slot; 0 for limits without time slots
     * @param remaining the number of permits that the limit has left
     * @param resetAfterMicros the time until the limit is as if unused, or {@link io.sluice.core.spi.Verdict#NEVER}
     * @param chargedAtMicros the time of the charge, which a refund has to name
     */
    record Granted(
            long permits,
            long endsAfterMicros,
            long waitMicros,
            long remaining,
            long resetAfterMicros,
            long chargedAtMicros,
            long atMicros)
            implements LeaseReply {}

    /**
     * No permits were granted and nothing is charged.
     *
     * @param byShare whether too many permits are already on leases; otherwise the limit has too few left
     * @param retryAfterMicros the time until the requested minimum is available; meaningless if {@code byShare} is set
     */
    record Refused(boolean byShare, long remaining, long retryAfterMicros, long resetAfterMicros, long atMicros)
            implements LeaseReply {}

    /**
     * No permits may be spent, and the outcome is not known.
     *
     * @param mayBeDone whether the lease may have been granted and the ended leases recorded nevertheless; otherwise nothing was
     *     done
     */
    record Unknown(String reason, boolean mayBeDone) implements LeaseReply {}
}
