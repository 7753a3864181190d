package io.sluice.rules.evaluate;

import io.sluice.core.Decision;
import io.sluice.rules.side.SideDecisions;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * A caller's wait for the limits of several sides, which the caller may cancel. Thread-safe.
 *
 * <p>If the caller cancels in time, no permits stay charged and no decisions are delivered. If the cancellation comes too late, the
 * decisions are delivered and the caller must give back their charges.
 */
final class Acquisition {

    private final CompletableFuture<SideDecisions> decisions = new CompletableFuture<>();
    private @Nullable CompletableFuture<Decision> pending;
    private boolean left;

    CompletionStage<SideDecisions> decisions() {
        return decisions;
    }

    /** Waits for the next side. If the caller has cancelled, cancels this wait immediately. */
    CompletionStage<Decision> await(CompletableFuture<Decision> next) {
        boolean gone;
        synchronized (this) {
            pending = next;
            gone = left;
        }
        if (gone) {
            next.cancel(false);
        }
        return next;
    }

    void decided(SideDecisions all) {
        decisions.complete(all);
    }

    /** Cancels the wait. Has no effect after all decisions have been made. */
    void cancel() {
        CompletableFuture<Decision> now;
        synchronized (this) {
            left = true;
            now = pending;
        }
        if (now != null) {
            now.cancel(false);
        }
    }
}
