package io.sluice.spring.boot;

import io.sluice.core.spi.CallbackFailures;
import io.sluice.redis.store.StoreListener;
import io.sluice.redis.store.StoreState;
import java.util.List;
import java.util.function.Consumer;

/**
 * Notifies every listener of the store: the metrics and the application's own listeners. An exception of a listener is logged;
 * it neither delays decisions nor keeps the other listeners from being notified.
 */
final class AllStoreListeners implements StoreListener {

    private final List<StoreListener> listeners;
    private final CallbackFailures failures = new CallbackFailures("a store listener", AllStoreListeners.class);

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

    /** Returns the number of failed notifications. */
    long failures() {
        return failures.count();
    }

    private void tell(Consumer<StoreListener> news) {
        for (StoreListener each : listeners) {
            try {
                news.accept(each);
            } catch (Throwable e) {
                failures.add(e);
            }
        }
    }
}
