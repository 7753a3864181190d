package io.sluice.redis.internal.link;

import io.sluice.core.history.HistoryEvent;
import io.sluice.core.history.HistoryListener;
import java.lang.System.Logger.Level;
import org.jspecify.annotations.Nullable;

/** Wraps a listener. Its failures are logged and never affect a decision. Thread-safe, like the wrapped listener. */
final class SafeHistoryListener implements HistoryListener {

    private static final System.Logger LOG = System.getLogger(SafeHistoryListener.class.getName());

    private final HistoryListener listener;

    private SafeHistoryListener(HistoryListener listener) {
        this.listener = listener;
    }

    static @Nullable HistoryListener of(@Nullable HistoryListener listener) {
        return listener == null || listener instanceof SafeHistoryListener
                ? listener
                : new SafeHistoryListener(listener);
    }

    @Override
    public void happened(HistoryEvent event) {
        try {
            listener.happened(event);
        } catch (RuntimeException e) {
            LOG.log(Level.WARNING, "a history listener failed; decisions are not affected", e);
        }
    }
}
