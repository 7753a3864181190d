package io.sluice.spring.boot;

import io.sluice.rules.evaluate.Ruling;
import io.sluice.rules.evaluate.RulingListener;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Notifies every {@link RulingListener} of the application. A listener that throws is logged once; it neither changes a decision
 * nor stops the other listeners from being notified.
 */
final class AllListeners implements RulingListener {

    private static final Logger LOG = LoggerFactory.getLogger(AllListeners.class);

    private final RulingListener[] listeners;
    private final AtomicBoolean failed;

    AllListeners(List<RulingListener> listeners) {
        this(listeners.toArray(RulingListener[]::new), new AtomicBoolean());
    }

    private AllListeners(RulingListener[] listeners, AtomicBoolean failed) {
        this.listeners = listeners;
        this.failed = failed;
    }

    @Override
    public RulingListener begun() {
        RulingListener[] now = listeners;
        for (int i = 0; i < listeners.length; i++) {
            RulingListener begun = begun(listeners[i]);
            if (begun != listeners[i]) {
                now = now == listeners ? listeners.clone() : now;
                now[i] = begun;
            }
        }
        return now == listeners ? this : new AllListeners(now, failed);
    }

    @Override
    public void ruled(Ruling.Settled ruling, long elapsedNanos) {
        for (RulingListener each : listeners) {
            try {
                each.ruled(ruling, elapsedNanos);
            } catch (RuntimeException e) {
                failed(e);
            }
        }
    }

    @Override
    public void abandoned() {
        for (RulingListener each : listeners) {
            try {
                each.abandoned();
            } catch (RuntimeException e) {
                failed(e);
            }
        }
    }

    private RulingListener begun(RulingListener listener) {
        try {
            return listener.begun();
        } catch (RuntimeException e) {
            failed(e);
            return listener;
        }
    }

    private void failed(RuntimeException failure) {
        if (failed.compareAndSet(false, true)) {
            LOG.warn("a decision listener failed; decisions are unaffected, further failures are not logged", failure);
        }
    }
}
