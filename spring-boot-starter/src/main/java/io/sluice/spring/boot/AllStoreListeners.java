package io.sluice.spring.boot;

import io.sluice.redis.StoreListener;
import io.sluice.redis.StoreState;
import java.util.List;

/** Tells every listener of the store: metrics, and those of the application. */
final class AllStoreListeners implements StoreListener {

    private final List<StoreListener> listeners;

    AllStoreListeners(List<StoreListener> listeners) {
        this.listeners = List.copyOf(listeners);
    }

    @Override
    public void called(String outcome, int decisions, long nanos) {
        for (StoreListener each : listeners) {
            each.called(outcome, decisions, nanos);
        }
    }

    @Override
    public void changed(StoreState state) {
        for (StoreListener each : listeners) {
            each.changed(state);
        }
    }
}
