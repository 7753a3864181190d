package io.sluice.redis.internal.lease;

import io.sluice.core.limit.Limit;
import io.sluice.redis.internal.wire.EndedLease;
import io.sluice.redis.internal.wire.LeaseReply;
import io.sluice.redis.internal.wire.LeaseRequest;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;

/** The source of leases. Thread-safe; never throws. */
public interface LeaseStore {

    /** Ends some leases of a count and requests another lease. Always completes, and never exceptionally. */
    CompletionStage<LeaseReply> request(LeaseRequest request);

    /**
     * Ends leases. Ending a lease twice is harmless.
     *
     * @return a stage that completes when the leases are ended, or exceptionally if the outcome is unknown
     */
    CompletionStage<Void> end(Limit limit, String key, List<EndedLease> ended);

    /**
     * Returns an executor as {@link io.sluice.core.spi.PendingOutcome#afterArrivals} does, for callers that wait for a lease
     * request.
     */
    default Executor afterArrivals() {
        return Runnable::run;
    }
}
