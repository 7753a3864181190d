package io.sluice.runtime;

import io.sluice.core.decorator.Guard;
import io.sluice.core.spi.Engine;
import io.sluice.core.time.Clock;
import io.sluice.redis.RedisEngine;
import io.sluice.redis.lease.Leases;
import io.sluice.redis.refusal.DenyCache;
import io.sluice.redis.store.RedisOptions;
import io.sluice.redis.store.StoreListener;
import io.sluice.redis.store.StoreState;
import io.sluice.redis.store.StoreVitals;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/** The shared engine and whether it is there. */
public interface Store {

    Engine engine();

    /** Whether it can decide now. */
    boolean isReady();

    /** Completes when {@link #isReady} first turns true. */
    CompletionStage<Void> ready();

    /** Whether it is being asked, and if not, why and since when. */
    StoreState state();

    /** What is wrong with it, though it decides, in sentences. */
    List<String> findings();

    /** How many asks it was spared, because it had refused them before. */
    default long remembered() {
        return 0;
    }

    /** How many asks it was spared by the guards of rules. */
    default long guarded() {
        return 0;
    }

    /** How many permits are leased from it and can be spent. */
    default long leased() {
        return 0;
    }

    /** How its servers are doing, by their own words. */
    default CompletionStage<StoreVitals> vitals() {
        return CompletableFuture.failedFuture(new UnsupportedOperationException());
    }

    /** Opens the store of a configuration that names one. */
    @FunctionalInterface
    interface Opener {

        /** Returns at once; throws only if the URI cannot be read. */
        Store open(String uri, String prefix, Clock clock, StoreListener listener);
    }

    /** The counts of a Redis, behind a memory of its refusals, leases of permits and the guards of rules. */
    static Store redis(String uri, String prefix, Clock clock, StoreListener listener) {
        RedisOptions options = RedisOptions.defaults().hashTags(true).listener(listener);
        RedisEngine engine = RedisEngine.connect(uri, prefix, clock, options);
        DenyCache memory = DenyCache.over(engine, uri, prefix, clock, options);
        Leases leases = engine.leasesInFrontOf(memory);
        // In front of all, because what it refuses is not for the memory to remember, nor worth a lease.
        Guard guard = new Guard(leases, clock);
        return new Store() {
            @Override
            public Engine engine() {
                return guard;
            }

            @Override
            public boolean isReady() {
                return engine.isReady();
            }

            @Override
            public CompletionStage<Void> ready() {
                return engine.ready();
            }

            @Override
            public StoreState state() {
                return engine.state();
            }

            @Override
            public List<String> findings() {
                return engine.findings();
            }

            @Override
            public CompletionStage<StoreVitals> vitals() {
                return engine.vitals();
            }

            @Override
            public long remembered() {
                return memory.remembered();
            }

            @Override
            public long guarded() {
                return guard.refused();
            }

            @Override
            public long leased() {
                return leases.outstanding();
            }
        };
    }
}
