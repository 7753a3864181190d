package io.sluice.runtime;

import io.sluice.core.history.HistoryListener;
import io.sluice.core.spi.Engine;
import io.sluice.core.spi.KeyMatch;
import io.sluice.core.time.Clock;
import io.sluice.redis.RedisStore;
import io.sluice.redis.store.ForgottenCounts;
import io.sluice.redis.store.StoreListener;
import io.sluice.redis.store.StoreState;
import io.sluice.redis.store.StoreVitals;
import io.sluice.runtime.durable.MarkedStore;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/** The shared engine and its state. */
public interface Store extends MarkedStore {

    /** Returns a stage that completes when {@link #isReady} becomes true for the first time. */
    CompletionStage<Void> ready();

    /** Returns whether the store is used, and if not, why and since when. */
    StoreState state();

    /** Returns its problems that do not stop decisions, as sentences. */
    List<String> findings();

    /** Returns how many requests were refused from memory, because the store had refused them before. */
    default long remembered() {
        return 0;
    }

    /** Returns how many requests the guards of rules kept from the store. */
    default long guarded() {
        return 0;
    }

    /** Returns how many leased permits can still be spent. */
    default long leased() {
        return 0;
    }

    /** Returns the figures that its servers report about themselves. */
    default CompletionStage<StoreVitals> vitals() {
        return CompletableFuture.failedFuture(new UnsupportedOperationException());
    }

    /**
     * Agrees on a secret with all processes that use this store: returns the stored one, and stores the proposed one if there is
     * none.
     */
    default CompletionStage<byte[]> agreeOn(String name, byte[] proposed) {
        return CompletableFuture.failedFuture(new UnsupportedOperationException());
    }

    /**
     * Removes the counts whose keys match from the store, and their copies in the memory of this process. Blocks.
     *
     * @param erasure names the erasure, the same in all processes that use this store
     */
    default ForgottenCounts forget(KeyMatch match, String erasure) {
        return ForgottenCounts.some(0, "the store cannot remove them");
    }

    /** A listener of the store that also records every step on every count. */
    interface RecordingListener extends StoreListener {

        /** Returns the listener that receives the steps. */
        HistoryListener history();
    }

    /** Opens the store that a configuration names. */
    @FunctionalInterface
    interface Opener {

        /** Opens the store and returns immediately. Throws only if the URI cannot be read. */
        Store open(String uri, String prefix, Clock clock, StoreListener listener);
    }

    /**
     * Opens a Redis, with a cache of its refusals, leases, and the guards of rules. A {@link RecordingListener} receives all its
     * steps.
     */
    static Store redis(String uri, String prefix, Clock clock, StoreListener listener) {
        RedisStore.Builder builder =
                RedisStore.at(uri).prefix(prefix).clock(clock).hashTags(true).storeListener(listener);
        RedisStore store = (listener instanceof RecordingListener recording
                        ? builder.recording(recording.history())
                        : builder)
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
            public CompletionStage<byte[]> agreeOn(String name, byte[] proposed) {
                return store.agreeOn(name, proposed);
            }

            @Override
            public CompletionStage<byte[]> mark(String name, byte[] proposed) {
                return store.mark(name, proposed);
            }

            @Override
            public CompletionStage<Optional<byte[]>> markOf(String name) {
                return store.markOf(name);
            }

            @Override
            public ForgottenCounts forget(KeyMatch match, String erasure) {
                return store.forget(match, erasure);
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
