package io.sluice.rules.evaluate;

import io.sluice.core.Decision;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * A caller's wait for the limits of one or two engines, which the caller may cancel. Thread-safe.
 *
 * <p>If the caller cancels in time, no permits stay charged and no decisions are delivered. If the cancellation comes too late, the
 * decisions are delivered and the caller must give back their charges.
 */
final class Acquisition {

    private final CompletableFuture<List<Decision>> decisions = new CompletableFuture<>();
    private @Nullable CompletableFuture<Decision> pending;
    private boolean left;

    CompletionStage<List<Decision>> decisions() {
        return decisions;
    }

    /** Waits for the next engine. If the caller has cancelled, cancels this wait immediately. */
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

    void decided(List<Decision> all) {
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
