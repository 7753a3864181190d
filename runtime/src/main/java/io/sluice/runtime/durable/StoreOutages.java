package io.sluice.runtime.durable;

import io.sluice.redis.store.StoreListener;
import io.sluice.redis.store.StoreState;
import org.jspecify.annotations.Nullable;

/** Notifies durable limits of the loss of the store, before the store decides again. Thread-safe. */
public final class StoreOutages implements StoreListener {

    private final StoreListener next;
    private volatile @Nullable DurableQuotas quotas;

    /**
     * Creates a listener.
     *
     * @param next the listener that is also notified of everything
     */
    public StoreOutages(StoreListener next) {
        this.next = next;
    }

    /** Starts to notify these limits. The store is opened before them. */
    public void tell(DurableQuotas durable) {
        quotas = durable;
    }

    @Override
    public void called(String outcome, int decisions, long nanos) {
        next.called(outcome, decisions, nanos);
    }

    @Override
    public void changed(StoreState state) {
        DurableQuotas told = quotas;
        if (told != null) {
            told.storeChanged(state.available());
        }
        next.changed(state);
    }
}
