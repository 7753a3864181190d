package io.sluice.runtime.participant;

import io.sluice.core.history.HistoryListener;
import io.sluice.core.time.Clock;
import io.sluice.redis.store.StoreListener;
import io.sluice.redis.store.StoreState;
import io.sluice.runtime.Store;
import io.sluice.runtime.StoreCalls;
import io.sluice.runtime.durable.StoreOutages;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/** A shared store that is being opened, and the measurement of the calls to it. Thread-safe. */
public final class StoreOpening implements AutoCloseable {

    private final StoreOutages outages;
    private final StoreCalls calls;
    private final CompletableFuture<Optional<Store>> opening;
    private volatile boolean taken;

    private StoreOpening(StoreOutages outages, StoreCalls calls, CompletableFuture<Optional<Store>> opening) {
        this.outages = outages;
        this.calls = calls;
        this.opening = opening;
    }

    /**
     * A store that a configuration names.
     *
     * @param uri the address of the store; empty if there is none
     * @param prefix the prefix of all names in the store
     */
    public record Address(Optional<String> uri, String prefix) {}

    /**
     * Starts to open the store.
     *
     * @param on opens the store, possibly in parallel with other parts: the store's client takes as long to load as all of them together
     * @param listener the listener that is also notified of all calls and states
     */
    public static StoreOpening begin(
            Address address,
            Store.Opener opener,
            Executor on,
            Clock clock,
            StoreListener listener,
            Optional<Recording> recording) {
        StoreOutages outages = new StoreOutages(listener);
        StoreCalls calls = new StoreCalls(clock, outages);
        StoreListener all = recording
                .<StoreListener>map(each -> new Recorded(calls, each.history()))
                .orElse(calls);
        return new StoreOpening(
                outages,
                calls,
                CompletableFuture.supplyAsync(
                        () -> address.uri().map(uri -> opener.open(uri, address.prefix(), clock, all)), on));
    }

    /**
     * Hands over the store once it is open; returns null if none is configured. It need not be connected yet.
     *
     * @throws IllegalArgumentException if the URI cannot be read. The message may contain a password
     */
    @Nullable
    Store opened() {
        try {
            Store store = opening.join().orElse(null);
            taken = true;
            return store;
        } catch (CompletionException e) {
            if (e.getCause() instanceof RuntimeException failure) {
                throw failure;
            }
            throw e;
        }
    }

    StoreOutages outages() {
        return outages;
    }

    StoreCalls calls() {
        return calls;
    }

    /** Closes the store as soon as it is open, without waiting. A store that engines use stays open until they are closed. */
    @Override
    public void close() {
        if (!taken) {
            var unused = opening.thenAccept(
                    opened -> opened.ifPresent(store -> store.engine().close()));
        }
    }

    /** The listener of the store, and the listener that records its steps. */
    private record Recorded(StoreCalls calls, HistoryListener history) implements Store.RecordingListener {

        @Override
        public void called(String outcome, int decisions, long nanos) {
            calls.called(outcome, decisions, nanos);
        }

        @Override
        public void changed(StoreState state) {
            calls.changed(state);
        }
    }
}
