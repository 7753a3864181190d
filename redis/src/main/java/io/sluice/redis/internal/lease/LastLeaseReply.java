package io.sluice.redis.internal.lease;

import io.sluice.core.spi.Verdict;
import io.sluice.redis.internal.refusal.Refusal;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * What the store last said of a count. Immutable.
 *
 * @param remaining what the limit had left in the store
 * @param atMicros the store's time of the answer
 * @param nanos when it was heard, by the clock of this process
 * @param refusal what the store refuses; null if nothing
 */
record LastLeaseReply(
        long remaining,
        long resetAfterMicros,
        long atMicros,
        long nanos,
        @Nullable Refusal refusal) {

    /** The store's time now, by our reckoning: a little behind, by the way of its answer. */
    long storeMicros(long nowNanos) {
        return atMicros + sinceMicros(nowNanos);
    }

    long resetAfterMicros(long nowNanos) {
        return resetAfterMicros == Verdict.NEVER
                ? Verdict.NEVER
                : Math.max(0, resetAfterMicros - sinceMicros(nowNanos));
    }

    LastLeaseReply withoutRefusal() {
        return new LastLeaseReply(remaining, resetAfterMicros, atMicros, nanos, null);
    }

    private long sinceMicros(long nowNanos) {
        return Math.max(0, TimeUnit.NANOSECONDS.toMicros(nowNanos - nanos));
    }
}
