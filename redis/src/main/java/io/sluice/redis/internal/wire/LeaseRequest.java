package io.sluice.redis.internal.wire;

import io.sluice.core.limit.Limit;
import java.util.List;

/**
 * A request for a lease on one count. Immutable.
 *
 * @param lease the unique name of the lease, by which it can be ended even if the answer is lost
 * @param wanted how many permits to lease
 * @param atLeast the fewest permits that are of use
 * @param cap the most permits of the count that may be out on leases
 * @param ttlMicros how long the lease may last
 * @param maxWaitMicros how far off the first time slot may be; 0 for limits without time slots
 * @param ended leases of this count to end first
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
