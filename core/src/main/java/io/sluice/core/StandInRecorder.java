package io.sluice.core;

import io.sluice.core.history.Answered;
import io.sluice.core.history.AskIds;
import io.sluice.core.history.HistoryListener;
import io.sluice.core.spi.Ask;
import io.sluice.core.spi.Demand;
import io.sluice.core.time.Clock;
import java.util.List;

/**
 * Tells a history what was decided by somebody else than the engine that was meant to. The engines themselves tell the rest. For
 * the listeners of a {@link Limiter}; safe for use by many threads.
 */
public final class StandInRecorder implements DecisionListener {

    private final HistoryListener history;
    private final Clock clock;

    /** Tells this history. */
    public StandInRecorder(HistoryListener history, Clock clock) {
        this.history = history;
        this.clock = clock;
    }

    @Override
    public void decided(Decision decision, long elapsedNanos) {
        if (decision.degraded() == null) {
            return;
        }
        Ask ask = decision.ask();
        List<Demand> demands = ask.demands();
        history.happened(new Answered(
                // The engine's name for it, if it was asked, is known to the engine alone.
                ask.id().isEmpty() ? AskIds.next() : ask.id(),
                demands.size(),
                ask.charges(),
                decision.allowed(),
                Answered.Source.STAND_IN,
                decision.degraded(),
                null,
                demands.isEmpty() ? 0 : demands.get(0).permits(),
                ask.ruleVersion(),
                clock.nanoTime(),
                clock.epochMicros()));
    }
}
