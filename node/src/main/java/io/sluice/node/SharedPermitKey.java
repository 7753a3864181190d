package io.sluice.node;

import io.sluice.core.time.Clock;
import io.sluice.node.api.PermitSeals;
import io.sluice.runtime.Store;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Lets all nodes on one store seal permits with the same key. Every node proposes its key repeatedly, so the key survives a store that
 * loses its data. Never blocks. Thread-safe.
 */
final class SharedPermitKey implements AutoCloseable {

    private static final System.Logger LOG = System.getLogger(SharedPermitKey.class.getName());
    private static final String NAME = "permits";
    private static final Duration PAUSE = Duration.ofSeconds(3);

    private final Store store;
    private final PermitSeals seals;
    private final Clock clock;
    private volatile boolean told;
    private volatile boolean closed;

    SharedPermitKey(Store store, PermitSeals seals, Clock clock) {
        this.store = store;
        this.seals = seals;
        this.clock = clock;
        seals.awaitKey(true);
    }

    /** Starts to propose the key. The future completes after the first attempt, with whether the store answered. */
    @SuppressWarnings("FutureReturnValueIgnored") // later attempts report through the seals
    CompletableFuture<Boolean> start() {
        CompletableFuture<Boolean> first =
                store.agreeOn(NAME, seals.key()).handle(this::agreed).toCompletableFuture();
        if (!closed) {
            clock.at(clock.nanoTime() + PAUSE.toNanos(), this::start);
        }
        return first;
    }

    /** Starts to propose the key, and waits for the first answer of the store for at most a second. */
    void awaitFirst() {
        start().completeOnTimeout(false, 1, TimeUnit.SECONDS).join();
    }

    private boolean agreed(byte @Nullable [] key, @Nullable Throwable failure) {
        if (key != null) {
            seals.learn(key);
        } else if (failure != null && store.isReady() && !told) {
            told = true;
            seals.awaitKey(false);
            LOG.log(
                    Level.WARNING,
                    "permits can be released only at the node that issued them, because the store keeps no common key for"
                            + " them: {0}",
                    failure.getMessage());
        }
        return key != null;
    }

    @Override
    public void close() {
        closed = true;
    }
}
