package io.sluice.node;

import io.sluice.core.time.Clock;
import io.sluice.node.config.NodeConfig;
import io.sluice.node.config.StartFailedException;
import io.sluice.redis.store.StoreListener;
import io.sluice.runtime.Store;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.jspecify.annotations.Nullable;

/** The shared store of a node that is starting. Thread-safe. */
final class SharedStore {

    private final CompletableFuture<Optional<Store>> opening;

    private SharedStore(CompletableFuture<Optional<Store>> opening) {
        this.opening = opening;
    }

    /** Opens the store in parallel with other parts, because the store's client takes as long to load as all of them together. */
    static SharedStore open(NodeConfig config, Store.Opener opener, StoreListener listener) {
        return new SharedStore(CompletableFuture.supplyAsync(
                () -> config.redisUri().map(uri -> opener.open(uri, config.redisPrefix(), Clock.system(), listener))));
    }

    /** Returns the store once it is open, or null if none is configured. It need not be connected yet. */
    @Nullable
    Store opened() throws StartFailedException {
        try {
            return opening.join().orElse(null);
        } catch (CompletionException e) {
            if (e.getCause() instanceof IllegalArgumentException) {
                throw unreadable();
            }
            throw e;
        }
    }

    /** Closes the store as soon as it is open, without waiting. */
    @SuppressWarnings("FutureReturnValueIgnored")
    void abandon() {
        opening.thenAccept(opened -> opened.ifPresent(store -> store.engine().close()));
    }

    /** Omits the URI and the exception's text, because both may contain a password. */
    static StartFailedException unreadable() {
        return new StartFailedException(
                "redis: unreadable (expected: redis://HOST:PORT, rediss://HOST:PORT, redis-sentinel://…,"
                        + " redis-cluster://HOST:PORT,HOST:PORT or rediss-cluster://…)",
                List.of());
    }
}
