package io.sluice.core;

import io.sluice.core.spi.CallbackFailures;
import java.util.List;

/** Notifies the listeners of decisions. An exception of a listener is logged and has no effect on a decision. Thread-safe. */
final class DecisionListeners {

    private final List<DecisionListener> listeners;
    private final CallbackFailures failures = new CallbackFailures("a decision listener", Limiter.class);

    DecisionListeners(List<DecisionListener> listeners) {
        this.listeners = List.copyOf(listeners);
    }

    boolean isEmpty() {
        return listeners.isEmpty();
    }

    void tell(Decision decision, long elapsedNanos) {
        for (DecisionListener listener : listeners) {
            try {
                listener.decided(decision, elapsedNanos);
            } catch (Throwable e) {
                failures.add(e);
            }
        }
    }
}
