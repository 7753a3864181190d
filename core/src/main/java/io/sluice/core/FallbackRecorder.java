package io.sluice.core;

import io.sluice.core.history.AnswerEvent;
import io.sluice.core.history.HistoryListener;
import io.sluice.core.time.Clock;

/**
 * Records in a history the decisions that the intended engine did not make. The engines themselves record all other decisions.
 * Add it to the listeners of a {@link Limiter}. Thread-safe.
 */
public final class FallbackRecorder implements DecisionListener {

    private final HistoryListener history;
    private final Clock clock;

    /** Creates a recorder that writes to a history. */
    public FallbackRecorder(HistoryListener history, Clock clock) {
        this.history = history;
        this.clock = clock;
    }

    @Override
    public void decided(Decision decision, long elapsedNanos) {
        if (decision.degraded() == null) {
            return;
        }
        // If the engine was asked, only the engine knows its own id of the ask.
        history.happened(AnswerEvent.of(decision.ask(), decision.outcome(), AnswerEvent.Source.STAND_IN, null, clock));
    }
}
