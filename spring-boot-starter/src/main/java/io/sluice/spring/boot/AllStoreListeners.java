package io.sluice.spring.boot;

import io.sluice.redis.store.StoreListener;
import io.sluice.redis.store.StoreState;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Tells every listener of the store: metrics, and those of the application. One that throws is logged once and keeps neither decisions
 * from landing nor others from hearing.
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
                    LOG.warn("a listener of the store failed; further failures are not logged", e);
                }
            }
        }
    }
}
