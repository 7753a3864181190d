package io.sluice.spring.boot;

import io.sluice.core.Limiter;
import io.sluice.core.local.LocalEngine;
import io.sluice.core.time.Clock;
import io.sluice.redis.store.StoreListener;
import io.sluice.rules.snapshot.RuleSet;
import io.sluice.rules.source.RuleSource;
import io.sluice.runtime.SharedCallerKey;
import io.sluice.runtime.Store;
import io.sluice.runtime.StoreCalls;
import io.sluice.runtime.StorePulse;
import io.sluice.runtime.StoreTrial;
import io.sluice.runtime.StoreWatch;
import io.sluice.runtime.StoredCounts;
import io.sluice.runtime.center.Center;
import io.sluice.runtime.center.CenterDurableLine;
import io.sluice.runtime.durable.DurableQuotas;
import io.sluice.runtime.durable.StoreOutages;
import io.sluice.runtime.erasure.ErasableStore;
import io.sluice.spring.boot.store.SluiceStartException;
import io.sluice.spring.boot.store.StoreAddress;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

/**
 * The engine of this process and, if a store is configured, the shared one. It is closed after all beans that use it; closing
 * returns leased permits. Thread-safe.
 */
final class SluiceEngines implements AutoCloseable {

    private static final Log LOG = LogFactory.getLog(SluiceEngines.class);
    private static final RuleSet NO_RULES = RuleSet.none();

    /** The maximum time that closing waits for settlements, because the store may be slow or unavailable. */
    private static final long SETTLEMENTS_MAY_TAKE_SECONDS = 5;

    private final LocalEngine counts;
    private final Limiter local;
    private final StoreWatch watch;
    private final Optional<StoreAddress> address;
    private final @Nullable Store store;
    private final @Nullable Limiter shared;
    private final @Nullable StorePulse pulse;
    private final @Nullable DurableQuotas durable;

    /** The rules in force; no rules until the source is open. */
    private volatile Supplier<RuleSet> rules = () -> NO_RULES;

    private volatile Supplier<CompletableFuture<Void>> settlements = () -> CompletableFuture.completedFuture(null);

    private SluiceEngines(
            Clock clock,
            Optional<StoreAddress> address,
            @Nullable Store store,
            StoreCalls calls,
            Optional<Path> data,
            Optional<Center> center) {
        this.address = address;
        this.store = store;
        this.counts = new LocalEngine(clock);
        this.local = new Limiter(counts, clock, List.of());
        this.watch = new StoreWatch(store, clock, calls);
        this.durable = store == null
                ? null
                : DurableQuotas.of(store, () -> rules.get(), data, center.map(CenterDurableLine::new), clock);
        this.shared = durable == null ? null : new Limiter(durable.engine(), clock, List.of(watch));
        this.pulse = store == null ? null : new StorePulse(store, clock);
    }

    /**
     * Opens engines that are ready to decide. An unreachable store delays startup by at most one second.
     *
     * @param data the directory with the journal of durable limits
     */
    static SluiceEngines open(
            Clock clock,
            Optional<StoreAddress> address,
            String prefix,
            StoreListener listener,
            Optional<Path> data,
            Optional<Center> center) {
        StoreOutages outages = new StoreOutages(listener);
        StoreCalls calls = new StoreCalls(clock, outages);
        Store store = null;
        if (address.isPresent()) {
            if (prefix.isBlank()) {
                throw new SluiceStartException(
                        "sluice.redis.prefix: empty (expected: a word such as rate_limit)",
                        "Set sluice.redis.prefix, or remove it to use the default rate_limit.");
            }
            try {
                store = Store.redis(address.get().uri(), prefix, clock, calls);
            } catch (IllegalArgumentException e) {
                throw address.get().unreadable(e);
            }
        }
        SluiceEngines engines = new SluiceEngines(clock, address, store, calls, data, center);
        if (engines.durable != null) {
            outages.tell(engines.durable);
        }
        if (store != null && engines.shared != null && engines.pulse != null) {
            StoreTrial.run(store, engines.shared);
            engines.pulse.start();
        }
        return engines;
    }

    LocalEngine counts() {
        return counts;
    }

    Limiter local() {
        return local;
    }

    @Nullable
    Limiter shared() {
        return shared;
    }

    /** Returns the stores from which erasures remove counts. */
    List<ErasableStore> erasable() {
        List<ErasableStore> all = new ArrayList<>(StoredCounts.of(local, shared, store));
        if (durable != null) {
            all.add(durable.erasable());
        }
        return all;
    }

    /** Starts to keep the durable limits of these rules. */
    void follow(RuleSource source) {
        rules = source::latest;
        if (durable != null) {
            source.listen(durable.rules());
            durable.start().join();
        }
    }

    /**
     * Makes closing wait for these settlements first, for a few seconds.
     *
     * @param underWay returns a future that completes when the settlements in progress have ended
     */
    void settleFirst(Supplier<CompletableFuture<Void>> underWay) {
        settlements = underWay;
    }

    /** Returns the keeper of durable limits, or null without a store. */
    @Nullable
    DurableQuotas durable() {
        return durable;
    }

    /** Starts to agree on the key for hashes of callers with all processes that use the store. */
    void agreeOn(SharedCallerKey key, Clock clock) {
        if (store != null) {
            var unused = key.agree(store, clock);
        }
    }

    StoreWatch watch() {
        return watch;
    }

    @Nullable
    StorePulse pulse() {
        return pulse;
    }

    Optional<StoreAddress> address() {
        return address;
    }

    @Override
    public void close() {
        awaitSettlements();
        if (pulse != null) {
            pulse.close();
        }
        if (durable != null) {
            durable.close();
        }
        local.close();
        if (shared != null) {
            shared.close();
        }
    }

    /**
     * Waits for settlements. The last requests and calls settle when they end; otherwise their reservations would stay charged.
     */
    private void awaitSettlements() {
        try {
            settlements.get().get(SETTLEMENTS_MAY_TAKE_SECONDS, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (ExecutionException | TimeoutException e) {
            LOG.warn("the shared store did not settle the last reservations in time; what they reserved may stand");
        }
    }
}
