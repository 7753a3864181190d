package io.sluice.redis.internal.lease;

import io.sluice.core.spi.Verdict;
import io.sluice.redis.internal.refusal.Refusal;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The store's last reply about a count. Immutable.
 *
 * @param remaining the number of permits that the limit had left in the store
 * @param atMicros the store's time of the answer
 * @param nanos the arrival of the answer, by the clock of this process
 * @param refusal the demands that the store refuses; null if it refuses none
 */
record LastLeaseReply(
        long remaining,
        long resetAfterMicros,
        long atMicros,
        long nanos,
        @Nullable Refusal refusal) {

    /** Returns an estimate of the store's present time. It lags by the time that the answer took to arrive. */
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
