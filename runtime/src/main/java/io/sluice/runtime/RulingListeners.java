package io.sluice.runtime;

import io.sluice.core.spi.CallbackFailures;
import io.sluice.rules.evaluate.Ruling;
import io.sluice.rules.evaluate.RulingListener;
import io.sluice.rules.pattern.Attributes;
import io.sluice.rules.reserve.Reservation;
import io.sluice.rules.reserve.SettledLimit;
import java.util.List;
import java.util.Map;

/**
 * Notifies every {@link RulingListener} of a process. A listener that throws is logged; it neither changes a decision nor stops the
 * other listeners from being notified. Thread-safe.
 */
public final class RulingListeners implements RulingListener {

    private static final Attributes NOTHING = Attributes.of(Map.of());

    private final RulingListener[] listeners;
    private final CallbackFailures failures;

    public RulingListeners(List<RulingListener> listeners) {
        this(
                listeners.toArray(RulingListener[]::new),
                new CallbackFailures("a listener of rulings", RulingListeners.class));
    }

    private RulingListeners(RulingListener[] listeners, CallbackFailures failures) {
        this.listeners = listeners;
        this.failures = failures;
    }

    @Override
    public RulingListener begun(Attributes request) {
        RulingListener[] now = listeners;
        for (int i = 0; i < listeners.length; i++) {
            RulingListener begun = begun(listeners[i], request);
            if (begun != listeners[i]) {
                now = now == listeners ? listeners.clone() : now;
                now[i] = begun;
            }
        }
        return now == listeners ? this : new RulingListeners(now, failures);
    }

    @Override
    public void ruled(Ruling.Settled ruling, long elapsedNanos) {
        ruled(NOTHING, ruling, elapsedNanos);
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

    @Override
    public void settled(SettledLimit settled) {
        for (RulingListener each : listeners) {
            try {
                each.settled(settled);
            } catch (Throwable e) {
                failures.add(e);
            }
        }
    }

    @Override
    public void used(SettledLimit usage) {
        for (RulingListener each : listeners) {
            try {
                each.used(usage);
            } catch (Throwable e) {
                failures.add(e);
            }
        }
    }

    @Override
    public void unsettled(Reservation reservation, String reason) {
        for (RulingListener each : listeners) {
            try {
                each.unsettled(reservation, reason);
            } catch (Throwable e) {
                failures.add(e);
            }
        }
    }

    @Override
    public void abandoned() {
        for (RulingListener each : listeners) {
            try {
                each.abandoned();
            } catch (Throwable e) {
                failures.add(e);
            }
        }
    }

    private RulingListener begun(RulingListener listener, Attributes request) {
        try {
            return listener.begun(request);
        } catch (Throwable e) {
            failures.add(e);
            return listener;
        }
    }
}
