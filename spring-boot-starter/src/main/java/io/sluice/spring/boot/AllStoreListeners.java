package io.sluice.spring.boot;

import io.sluice.redis.store.StoreListener;
import io.sluice.redis.store.StoreState;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Notifies every listener of the store: the metrics and the application's own listeners. A listener that throws is logged once;
 * it neither delays decisions nor stops the other listeners from being notified.
 */
final class AllStoreListeners implements StoreListener {

    private static final Logger LOG = LoggerFactory.getLogger(AllStoreListeners.class);

    private final List<StoreListener> listeners;
    private final AtomicBoolean failed = new AtomicBoolean();

    AllStoreListeners(List<StoreListener> listeners) {
        this.listeners = List.copyOf(listeners);
    }

    @Override
    public void called(String outcome, int decisions, long nanos) {
        tell(each -> each.called(outcome, decisions, nanos));
    }

    @Override
    public void changed(StoreState state) {
        tell(each -> each.changed(state));
    }

    private void tell(Consumer<StoreListener> news) {
        for (StoreListener each : listeners) {
            try {
                news.accept(each);
            } catch (RuntimeException e) {
                if (failed.compareAndSet(false, true)) {
                    LOG.warn("a store listener failed; decisions are unaffected, further failures are not logged", e);
                }
            }
        }
    }
}
