package io.sluice.redis.internal.wire;

/** What the store says to a {@link LeaseRequest}. Times in microseconds; spans count from {@code atMicros}, the store's time. */
public sealed interface LeaseReply {

    /**
     * The permits are charged and may be spent.
     *
     * @param permits how many, at least what was of use
     * @param endsAfterMicros until the lease ends
     * @param waitMicros until the first time slot; 0 where there are none
     * @param remaining what the limit has left
     * @param resetAfterMicros until the limit is as if unused, or {@link io.sluice.core.spi.Verdict#NEVER}
     * @param chargedAtMicros what a give-back has to name
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
     * There are no permits, nothing is charged.
     *
     * @param byShare too much is out on leases already; else the limit has too little left
     * @param retryAfterMicros until as much as was of use is there; says nothing if the share refused
     */
    record Refused(boolean byShare, long remaining, long retryAfterMicros, long resetAfterMicros, long atMicros)
            implements LeaseReply {}

    /**
     * There are no permits to spend.
     *
     * @param mayBeDone whether the lease may have been granted all the same, and what was to be ended may be; else nothing was done
     */
    record Unknown(String reason, boolean mayBeDone) implements LeaseReply {}
}
