package io.sluice.core;

import java.lang.System.Logger.Level;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;

/** Notifies the listeners of decisions. If a listener throws, this is logged once and changes no decision. Thread-safe. */
final class DecisionListeners {

    private static final System.Logger LOG = System.getLogger(Limiter.class.getName());

    private final List<DecisionListener> listeners;
    private final AtomicBoolean failed = new AtomicBoolean();

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
            } catch (RuntimeException e) {
                if (failed.compareAndSet(false, true)) {
                    LOG.log(Level.WARNING, "a decision listener failed; further failures are not logged", e);
                }
            }
        }
    }
}
