package io.sluice.core;

import io.sluice.core.history.AnswerEvent;
import io.sluice.core.history.HistoryListener;
import io.sluice.core.time.Clock;

/**
 * Tells a history what was decided by somebody else than the engine that was meant to. The engines themselves tell the rest. For
 * the listeners of a {@link Limiter}; safe for use by many threads.
 */
public final class FallbackRecorder implements DecisionListener {

    private final HistoryListener history;
    private final Clock clock;

    /** Tells this history. */
    public FallbackRecorder(HistoryListener history, Clock clock) {
        this.history = history;
        this.clock = clock;
    }

    @Override
    public void decided(Decision decision, long elapsedNanos) {
        if (decision.degraded() == null) {
            return;
        }
        // The engine's own name for the ask, if it was asked, is known to the engine alone.
        history.happened(AnswerEvent.of(decision.ask(), decision.outcome(), AnswerEvent.Source.STAND_IN, null, clock));
    }
}
