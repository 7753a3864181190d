package io.sluice.runtime.durable;

import io.sluice.redis.store.StoreListener;
import io.sluice.redis.store.StoreState;
import org.jspecify.annotations.Nullable;

/** Tells durable limits when the store is lost, before it decides again. Thread-safe. */
public final class StoreOutages implements StoreListener {

    private final StoreListener next;
    private volatile @Nullable DurableQuotas quotas;

    /**
     * Creates a listener.
     *
     * @param next is notified of everything, too
     */
    public StoreOutages(StoreListener next) {
        this.next = next;
    }

    /** Begins to tell these limits. The store is opened before them. */
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
