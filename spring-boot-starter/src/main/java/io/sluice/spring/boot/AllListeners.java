package io.sluice.spring.boot;

import io.sluice.rules.Ruling;
import io.sluice.rules.RulingListener;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Tells every listener of the application. One that throws is logged once and neither changes a decision nor keeps others from hearing. */
final class AllListeners implements RulingListener {

    private static final Logger LOG = LoggerFactory.getLogger(AllListeners.class);

    private final RulingListener[] listeners;
    private volatile boolean failed;

    AllListeners(List<RulingListener> listeners) {
        this.listeners = listeners.toArray(RulingListener[]::new);
    }

    @Override
    public RulingListener begun() {
        RulingListener[] now = listeners;
        for (int i = 0; i < listeners.length; i++) {
            RulingListener begun = begun(listeners[i]);
            if (begun != listeners[i]) {
                if (now == listeners) {
                    now = listeners.clone();
                }
                now[i] = begun;
            }
        }
        if (now == listeners) {
            return this;
        }
        RulingListener[] told = now;
        return (ruling, nanos) -> tell(told, ruling, nanos);
    }

    @Override
    public void ruled(Ruling.Settled ruling, long elapsedNanos) {
        tell(listeners, ruling, elapsedNanos);
    }

    private RulingListener begun(RulingListener listener) {
        try {
            return listener.begun();
        } catch (RuntimeException e) {
            failed(e);
            return listener;
        }
    }

    private void tell(RulingListener[] told, Ruling.Settled ruling, long nanos) {
        for (RulingListener each : told) {
            try {
                each.ruled(ruling, nanos);
            } catch (RuntimeException e) {
                failed(e);
            }
        }
    }

    private void failed(RuntimeException failure) {
        if (!failed) {
            failed = true;
            LOG.warn("a listener of decisions failed; further failures are not logged", failure);
        }
    }
}
