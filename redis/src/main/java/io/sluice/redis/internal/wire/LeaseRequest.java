package io.sluice.redis.internal.wire;

import io.sluice.core.limit.Limit;
import java.util.List;

/**
 * Asks for a lease on one count. Immutable.
 *
 * @param lease what the lease will be called: a name that nobody else uses, by which it can be ended even if the answer is lost
 * @param wanted permits
 * @param atLeast fewer are of no use
 * @param cap the most permits of the count that may be out on leases
 * @param ttlMicros how long the lease may last
 * @param maxWaitMicros how far off the first time slot may be; 0 where there are none
 * @param ended leases of this count to be ended first
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
