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
 * A request for a lease that is under way, and the callers who wait for it because nothing is at hand: no more of them than it can
 * serve. Answered once. Safe for use by many threads.
 */
final class LeaseInquiry {

    /**
     * Somebody who asked for one count and waits for the lease.
     *
     * @param engine what is called so in the reasons of what could not be decided
     */
    record Waiter(Ask ask, String engine, CompletableFuture<Outcome> outcome) {

        @SuppressWarnings("FutureReturnValueIgnored") // what comes of it is passed on
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

    /** Before it was sent. */
    final long askedNanos;

    /** Completes when the answer was taken in, and what it leaves to be ended is. */
    final CompletableFuture<Void> done = new CompletableFuture<>();

    private @Nullable List<Waiter> waiters = new ArrayList<>();
    private long room;

    LeaseInquiry(LeaseRequest request, long askedNanos) {
        this.request = request;
        this.askedNanos = askedNanos;
        this.room = request.wanted();
    }

    /** Lets a caller wait; false if it was answered meanwhile, or would not be enough for him. */
    synchronized boolean join(Waiter waiter) {
        long permits = waiter.ask.demands().get(0).permits();
        if (waiters == null || permits > room) {
            return false;
        }
        room -= permits;
        waiters.add(waiter);
        return true;
    }

    /** Those who have waited; null if it was answered before. */
    synchronized @Nullable List<Waiter> settle() {
        List<Waiter> all = waiters;
        waiters = null;
        return all;
    }
}
