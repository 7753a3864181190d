package io.sluice.runtime.participant;

import io.sluice.core.local.LocalEngine;
import io.sluice.core.spi.Answer;
import io.sluice.core.spi.Ask;
import io.sluice.core.spi.Charge;
import io.sluice.core.spi.Engine;
import io.sluice.core.spi.KeyMatch;
import io.sluice.core.time.Clock;
import io.sluice.redis.store.StoreState;
import io.sluice.redis.store.StoreVitals;
import io.sluice.runtime.Store;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CopyOnWriteArrayList;

/** A store in this process that notes, once each, what is done with it. Its counts are those of the engine in memory. */
final class NotedStore implements Store, Engine {

    final List<String> notes = new CopyOnWriteArrayList<>();
    private final LocalEngine counts = new LocalEngine(Clock.system());
    private final Runnable closing;

    /** @param closing runs before the store is closed */
    NotedStore(Runnable closing) {
        this.closing = closing;
    }

    private synchronized void note(String what) {
        if (!notes.contains(what)) {
            notes.add(what);
        }
    }

    @Override
    public Engine engine() {
        return this;
    }

    @Override
    public boolean isReady() {
        return true;
    }

    @Override
    public CompletionStage<Void> ready() {
        return CompletableFuture.completedFuture(null);
    }

    @Override
    public StoreState state() {
        return new StoreState(true, "", "", 0);
    }

    @Override
    public List<String> findings() {
        return List.of();
    }

    @Override
    public CompletionStage<StoreVitals> vitals() {
        note("figures");
        return CompletableFuture.failedFuture(new UnsupportedOperationException());
    }

    @Override
    public CompletionStage<byte[]> agreeOn(String name, byte[] proposed) {
        note("key of " + name);
        return CompletableFuture.completedFuture(proposed);
    }

    @Override
    public String name() {
        return "noted";
    }

    @Override
    public Answer decide(Ask ask) {
        note("decided " + ask.demands().get(0).limit().name());
        return counts.decide(ask);
    }

    @Override
    public CompletionStage<Boolean> giveBack(List<Charge> charges) {
        return counts.giveBack(charges);
    }

    @Override
    public CompletionStage<Boolean> renew(Charge charge) {
        return counts.renew(charge);
    }

    @Override
    public long forget(KeyMatch match) {
        return counts.forget(match);
    }

    @Override
    public void close() {
        closing.run();
        note("closed");
        counts.close();
    }
}
