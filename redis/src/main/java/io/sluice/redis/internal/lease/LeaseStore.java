package io.sluice.redis.internal.lease;

import io.sluice.core.limit.Limit;
import io.sluice.redis.internal.wire.EndedLease;
import io.sluice.redis.internal.wire.LeaseReply;
import io.sluice.redis.internal.wire.LeaseRequest;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;

/** Where leases come from. Safe for use by many threads; never throws. */
public interface LeaseStore {

    /** Ends some leases of a count and asks for another. Always completes, and never exceptionally. */
    CompletionStage<LeaseReply> request(LeaseRequest request);

    /**
     * Ends leases. To end one again is harmless.
     *
     * @return completes when they are ended, exceptionally if that is not known
     */
    CompletionStage<Void> end(Limit limit, String key, List<EndedLease> ended);

    /** As {@link io.sluice.core.spi.PendingOutcome#afterArrivals}, for those who wait for a request. */
    default Executor afterArrivals() {
        return Runnable::run;
    }
}
