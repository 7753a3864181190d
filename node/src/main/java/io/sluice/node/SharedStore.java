package io.sluice.node;

import io.sluice.core.Decision;
import io.sluice.core.Limit;
import io.sluice.core.Limiter;
import io.sluice.core.Rate;
import io.sluice.core.spi.Ask;
import io.sluice.core.spi.Demand;
import io.sluice.core.time.Clock;
import io.sluice.node.internal.Patience;
import io.sluice.redis.StoreListener;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The shared store of a node on its way up: opened, waited for, and tried. Safe for use by many threads. */
final class SharedStore {

    private static final Logger LOG = LoggerFactory.getLogger(SharedStore.class);
    private static final Duration MAY_TAKE = Duration.ofSeconds(1);
    private static final int PROBES = 200;

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

    /** Waits for the store and lets it decide, because the first decisions take longer than one may. */
    static void await(Store store, Limiter shared) {
        try {
            Patience.await(store.ready().toCompletableFuture(), MAY_TAKE);
        } catch (ExecutionException | TimeoutException e) {
            LOG.warn("the shared store is away: starting degraded, on_failure decides until it is back");
            return;
        }
        // On counts of their own; half of them are refused.
        List<Demand> probes = List.of(
                Demand.of(Limit.named("sluice.probe").slidingLog(PROBES / 2, Duration.ofSeconds(1)), "", 1),
                Demand.of(Limit.named("sluice.probe").tokenBucket(Rate.perSecond(PROBES)), "", 1));
        for (int i = 0; i < PROBES; i++) {
            Decision decision = shared.decide(Ask.charging(probes).dueAt(shared.dueIn(MAY_TAKE)));
            if (decision.degraded() != null) {
                LOG.warn("the shared store does not decide: {}; on_failure decides until it does", decision.degraded());
                return;
            }
        }
    }

    /** Without the URI and without the text of the exception: both may show a password. */
    static StartFailedException unreadable() {
        return new StartFailedException(
                "redis: unreadable (expected: redis://HOST:PORT, rediss://HOST:PORT, redis-sentinel://…,"
                        + " redis-cluster://HOST:PORT,HOST:PORT or rediss-cluster://…)",
                List.of());
    }
}
