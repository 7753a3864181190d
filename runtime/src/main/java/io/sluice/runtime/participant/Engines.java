package io.sluice.runtime.participant;

import io.sluice.core.DecisionListener;
import io.sluice.core.FallbackRecorder;
import io.sluice.core.Limiter;
import io.sluice.core.local.LocalEngine;
import io.sluice.core.time.Clock;
import io.sluice.rules.snapshot.RuleSet;
import io.sluice.runtime.Store;
import io.sluice.runtime.StorePulse;
import io.sluice.runtime.StoreTrial;
import io.sluice.runtime.StoreWatch;
import io.sluice.runtime.StoredCounts;
import io.sluice.runtime.durable.DurableLine;
import io.sluice.runtime.durable.DurableQuotas;
import io.sluice.runtime.erasure.ErasableStore;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** The engine of this process and, if a store is configured, the shared one. Closing returns leased permits. Thread-safe. */
public final class Engines implements AutoCloseable {

    private final LocalEngine counts;
    private final Limiter local;
    private final StoreWatch watch;
    private final @Nullable Store store;
    private final @Nullable DurableQuotas durable;
    private final @Nullable Limiter shared;
    private final @Nullable StorePulse pulse;
    private final AtomicBoolean closed = new AtomicBoolean();

    private Engines(
            StoreOpening opening,
            @Nullable Store store,
            @Nullable DurableQuotas durable,
            Clock clock,
            Optional<Recording> recording) {
        this.store = store;
        this.durable = durable;
        this.counts = recording
                .map(each -> LocalEngine.builder()
                        .clock(clock)
                        .returnListener(each.returns())
                        .build())
                .orElseGet(() -> new LocalEngine(clock));
        this.local = new Limiter(
                counts, clock, recording.map(Recording::decisions).stream().toList());
        this.watch = new StoreWatch(store, clock, opening.calls());
        List<DecisionListener> ofStore = new ArrayList<>(List.of(watch));
        recording.ifPresent(each -> ofStore.add(new FallbackRecorder(each.history(), clock)));
        this.shared = durable == null ? null : new Limiter(durable.engine(), clock, ofStore);
        this.pulse = store == null ? null : new StorePulse(store, clock);
    }

    /**
     * Creates the engines when the store has been opened. It need not be connected yet.
     *
     * @param rules the rules in force
     * @param data the directory with the journal of durable limits
     * @param center the center that has the charges to durable limits
     * @throws IllegalArgumentException if the URI of the store cannot be read. The message may contain a password
     */
    public static Engines open(
            StoreOpening opening,
            Supplier<RuleSet> rules,
            Optional<Path> data,
            Optional<DurableLine> center,
            Clock clock,
            Optional<Recording> recording) {
        Store store = opening.opened();
        DurableQuotas durable = store == null ? null : DurableQuotas.of(store, rules, data, center, clock);
        if (durable != null) {
            opening.outages().tell(durable);
        }
        return new Engines(opening, store, durable, clock, recording);
    }

    /** Returns the counts of this process. */
    public LocalEngine counts() {
        return counts;
    }

    /** Returns the limiter that counts in this process. */
    public Limiter local() {
        return local;
    }

    /** Returns the limiter that counts in the store; null if there is none. */
    public @Nullable Limiter shared() {
        return shared;
    }

    /** Returns the store; null if there is none. */
    public @Nullable Store store() {
        return store;
    }

    /** Returns the health of the store, also if there is none. */
    public StoreWatch watch() {
        return watch;
    }

    /** Returns the figures of the store's servers; null if there is none. */
    public @Nullable StorePulse pulse() {
        return pulse;
    }

    /** Returns the keeper of durable limits; null without a store. */
    public @Nullable DurableQuotas durable() {
        return durable;
    }

    /** Returns the stores from which erasures remove counts. */
    List<ErasableStore> erasable() {
        List<ErasableStore> all = new ArrayList<>(StoredCounts.of(local, shared, store));
        if (durable != null) {
            all.add(durable.erasable());
        }
        return all;
    }

    /** Lets the store make trial decisions, for at most a second if it is unavailable, and starts to ask its servers for figures. */
    void warmUp() {
        if (store != null && shared != null && pulse != null) {
            StoreTrial.run(store, shared);
            pulse.start();
        }
    }

    @Override
    public void close() {
        if (!closed.compareAndSet(false, true)) {
            return;
        }
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
}
