package io.sluice.redis.internal.lease;

import io.sluice.core.spi.Answer;
import io.sluice.core.spi.Ask;
import io.sluice.core.spi.EngineFailure;
import io.sluice.core.spi.Outcome;
import io.sluice.core.spi.PendingOutcome;
import io.sluice.redis.internal.wire.LeaseRequest;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * A pending request for a lease, and the callers that wait for it because this process holds no permits. It accepts no more waiters than it
 * can serve. It is answered once. Thread-safe.
 */
final class LeaseInquiry {

    /**
     * A caller that asked for one count and waits for the lease.
     *
     * @param engine the name of the engine, for the reasons of failures
     */
    record Waiter(Ask ask, String engine, CompletableFuture<Outcome> outcome) {

        @SuppressWarnings("FutureReturnValueIgnored") // the result is passed on
        void tell(Answer answer) {
            if (answer instanceof PendingOutcome pending) {
                pending.outcome()
                        .whenComplete((decided, failure) -> outcome.complete(
                                decided == null ? new EngineFailure(engine + "-error", true) : decided));
            } else {
                outcome.complete((Outcome) answer);
            }
        }
    }

    final LeaseRequest request;

    /** The time of the request, before it was sent. */
    final long askedNanos;

    /** Completes when the answer has been processed and the leases that have to end because of it have ended. */
    final CompletableFuture<Void> done = new CompletableFuture<>();

    private @Nullable List<Waiter> waiters = new ArrayList<>();
    private long room;

    LeaseInquiry(LeaseRequest request, long askedNanos) {
        this.request = request;
        this.askedNanos = askedNanos;
        this.room = request.wanted();
    }

    /** Adds a waiting caller. Returns false if the request was answered meanwhile or would not leave enough permits for this caller. */
    synchronized boolean join(Waiter waiter) {
        long permits = waiter.ask.demands().get(0).permits();
        if (waiters == null || permits > room) {
            return false;
        }
        room -= permits;
        waiters.add(waiter);
        return true;
    }

    /** Closes the request. Returns the waiting callers, or null if it was answered before. */
    synchronized @Nullable List<Waiter> settle() {
        List<Waiter> all = waiters;
        waiters = null;
        return all;
    }
}
