package io.sluice.redis.internal.link;

import io.sluice.core.history.HistoryEvent;
import io.sluice.core.history.HistoryListener;
import io.sluice.core.spi.CallbackFailures;
import org.jspecify.annotations.Nullable;

/** Wraps a listener. Its failures are logged and never affect a decision. Thread-safe, like the wrapped listener. */
final class SafeHistoryListener implements HistoryListener {

    private final HistoryListener listener;
    private final CallbackFailures failures = new CallbackFailures("a history listener", HistoryListener.class);

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
        } catch (Throwable e) {
            failures.add(e);
        }
    }
}
