package io.sluice.rules.evaluate;

import io.sluice.core.Decision;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * One who waits for limits of one or two engines, and may leave. Safe for use by many threads.
 *
 * <p>Who leaves in time holds nothing and hears nothing. Who is too late for that gets his decisions, and gives back what they
 * charged.
 */
final class Acquisition {

    private final CompletableFuture<List<Decision>> decisions = new CompletableFuture<>();
    private @Nullable CompletableFuture<Decision> pending;
    private boolean left;

    CompletionStage<List<Decision>> decisions() {
        return decisions;
    }

    /** Waits for the next engine, unless the caller has left. */
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

    /** Leaves; of no effect once everything is decided. */
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
