package io.sluice.node;

import io.sluice.core.spi.CallbackFailures;
import io.sluice.rules.evaluate.Ruling;
import io.sluice.rules.evaluate.RulingListener;
import io.sluice.rules.pattern.Attributes;
import java.util.List;

/** Tells all parts of a node about each ruling. One that throws does not keep the others from hearing it. Thread-safe. */
final class NodeListeners implements RulingListener {

    private final RulingListener[] listeners;
    private final CallbackFailures failures = new CallbackFailures("a listener of rulings", NodeListeners.class);

    NodeListeners(List<RulingListener> listeners) {
        this.listeners = listeners.toArray(RulingListener[]::new);
    }

    @Override
    public void ruled(Ruling.Settled ruling, long elapsedNanos) {
        throw new UnsupportedOperationException("a ruling comes with its request");
    }

    @Override
    public void ruled(Attributes request, Ruling.Settled ruling, long elapsedNanos) {
        for (RulingListener each : listeners) {
            try {
                each.ruled(request, ruling, elapsedNanos);
            } catch (Throwable e) {
                failures.add(e);
            }
        }
    }

    @Override
    public void passedEarly(Attributes request, Ruling.Settled ruling, long elapsedNanos) {
        for (RulingListener each : listeners) {
            try {
                each.passedEarly(request, ruling, elapsedNanos);
            } catch (Throwable e) {
                failures.add(e);
            }
        }
    }
}
