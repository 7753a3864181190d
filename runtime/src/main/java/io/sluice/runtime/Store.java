package io.sluice.runtime;

import io.sluice.core.spi.Engine;
import io.sluice.core.time.Clock;
import io.sluice.redis.RedisStore;
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
        RedisStore store = RedisStore.at(uri)
                .prefix(prefix)
                .clock(clock)
                .hashTags(true)
                .storeListener(listener)
                .open();
        return new Store() {
            @Override
            public Engine engine() {
                return store.engine();
            }

            @Override
            public boolean isReady() {
                return store.isReady();
            }

            @Override
            public CompletionStage<Void> ready() {
                return store.ready();
            }

            @Override
            public StoreState state() {
                return store.state();
            }

            @Override
            public List<String> findings() {
                return store.findings();
            }

            @Override
            public CompletionStage<StoreVitals> vitals() {
                return store.vitals();
            }

            @Override
            public long remembered() {
                return store.remembered();
            }

            @Override
            public long guarded() {
                return store.guarded();
            }

            @Override
            public long leased() {
                return store.leased();
            }
        };
    }
}
