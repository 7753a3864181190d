package io.sluice.redis.internal.link;

import io.sluice.core.spi.CallbackFailures;
import io.sluice.redis.store.StoreListener;
import io.sluice.redis.store.StoreState;

/** Wraps a listener. Its failures are logged and never affect a call. Thread-safe, like the wrapped listener. */
final class SafeStoreListener implements StoreListener {

    private final StoreListener listener;
    private final CallbackFailures failures = new CallbackFailures("a store listener", StoreListener.class);

    private SafeStoreListener(StoreListener listener) {
        this.listener = listener;
    }

    static StoreListener of(StoreListener listener) {
        return listener == NONE || listener instanceof SafeStoreListener ? listener : new SafeStoreListener(listener);
    }

    @Override
    public void called(String outcome, int decisions, long nanos) {
        try {
            listener.called(outcome, decisions, nanos);
        } catch (Throwable e) {
            failures.add(e);
        }
    }

    @Override
    public void changed(StoreState state) {
        try {
            listener.changed(state);
        } catch (Throwable e) {
            failures.add(e);
        }
    }
}
