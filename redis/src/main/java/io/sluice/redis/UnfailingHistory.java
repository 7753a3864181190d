package io.sluice.redis;

import io.sluice.core.history.Event;
import io.sluice.core.history.HistoryListener;
import java.lang.System.Logger.Level;
import org.jspecify.annotations.Nullable;

/** Tells a listener, whose failures are logged and change no decision. Safe for use by many threads, as the listener is. */
final class UnfailingHistory implements HistoryListener {

    private static final System.Logger LOG = System.getLogger(UnfailingHistory.class.getName());

    private final HistoryListener listener;

    private UnfailingHistory(HistoryListener listener) {
        this.listener = listener;
    }

    static @Nullable HistoryListener of(@Nullable HistoryListener listener) {
        return listener == null || listener instanceof UnfailingHistory ? listener : new UnfailingHistory(listener);
    }

    @Override
    public void happened(Event event) {
        try {
            listener.happened(event);
        } catch (RuntimeException e) {
            LOG.log(Level.WARNING, "a history listener failed", e);
        }
    }
}
