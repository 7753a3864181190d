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

/** The shared store of a node on its way up. Safe for use by many threads. */
final class SharedStore {

    private final CompletableFuture<Optional<Store>> opening;

    private SharedStore(CompletableFuture<Optional<Store>> opening) {
        this.opening = opening;
    }

    /** Opens it beside the rest, because the client of the store takes as long to load as everything else together. */
    static SharedStore open(NodeConfig config, Store.Opener opener, StoreListener listener) {
        return new SharedStore(CompletableFuture.supplyAsync(
                () -> config.redisUri().map(uri -> opener.open(uri, config.redisPrefix(), Clock.system(), listener))));
    }

    /** The store once it is open; null if none is configured. It need not be there yet. */
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

    /** Lets go of it as soon as it is open; nobody waits for that. */
    @SuppressWarnings("FutureReturnValueIgnored")
    void abandon() {
        opening.thenAccept(opened -> opened.ifPresent(store -> store.engine().close()));
    }

    /** Without the URI and without the text of the exception: both may show a password. */
    static StartFailedException unreadable() {
        return new StartFailedException(
                "redis: unreadable (expected: redis://HOST:PORT, rediss://HOST:PORT, redis-sentinel://…,"
                        + " redis-cluster://HOST:PORT,HOST:PORT or rediss-cluster://…)",
                List.of());
    }
}
