package io.sluice.redis.internal.wire;

import io.sluice.core.limit.Limit;
import java.util.List;

/**
 * A request for a lease on one count. Immutable.
 *
 * @param lease the unique name of the lease, by which it can be ended even if the answer is lost
 * @param wanted the number of permits to lease
 * @param atLeast the smallest number of permits that is useful
 * @param cap the maximum number of permits of the count on leases
 * @param ttlMicros the maximum duration of the lease
 * @param maxWaitMicros the maximum time until the first time slot; 0 for limits without time slots
 * @param ended the leases of this count to end first
 */
public record LeaseRequest(
        Limit limit,
        String key,
        String lease,
        long wanted,
        long atLeast,
        long cap,
        long ttlMicros,
        long maxWaitMicros,
        List<EndedLease> ended) {

    public LeaseRequest {
        ended = List.copyOf(ended);
    }
}
