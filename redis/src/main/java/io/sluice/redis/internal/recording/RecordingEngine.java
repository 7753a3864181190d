package io.sluice.redis.internal.recording;

import io.sluice.core.decorator.ForwardingEngine;
import io.sluice.core.history.AnswerEvent;
import io.sluice.core.history.AskTraces;
import io.sluice.core.history.HistoryListener;
import io.sluice.core.spi.Answer;
import io.sluice.core.spi.Ask;
import io.sluice.core.spi.Demand;
import io.sluice.core.spi.Engine;
import io.sluice.core.spi.EngineDecision;
import io.sluice.core.spi.PendingOutcome;
import io.sluice.core.time.Clock;
import io.sluice.redis.internal.wire.RedisKeys;
import org.jspecify.annotations.Nullable;

/**
 * Records every answer of an engine on Redis in a history, and gives every request the id under which the store records its
 * steps. A decorator. Thread-safe. It stands in front of the refusal cache: an answer that is available immediately comes from
 * the cache, a later answer from Redis.
 */
public final class RecordingEngine extends ForwardingEngine {

    private final HistoryListener history;
    private final RedisKeys names;
    private final Clock clock;

    /**
     * Creates a recording decorator.
     *
     * @param names the names of counts, built as the engine builds them
     */
    public RecordingEngine(Engine engine, HistoryListener history, RedisKeys names, Clock clock) {
        super(engine);
        this.history = history;
        this.names = names;
        this.clock = clock;
    }

    /** Returns the request with its own id, or with a new id if it has none. */
    static Ask named(Ask ask) {
        return ask.trace().isEmpty() ? ask.tracedBy(AskTraces.next()) : ask;
    }

    @Override
    public Answer decide(Ask unnamed) {
        Ask ask = named(unnamed);
        long askedNanos = clock.nanoTime();
        Answer answer = engine.decide(ask);
        if (answer instanceof PendingOutcome pending) {
            return new PendingOutcome(
                    pending.outcome().whenComplete((outcome, failure) -> {
                        if (outcome instanceof EngineDecision decision) {
                            history.happened(told(ask, decision, AnswerEvent.Source.STORE));
                        }
                    }),
                    pending.afterArrivals());
        }
        if (answer instanceof EngineDecision decision && !decision.allowed()) {
            history.happened(told(ask, decision, AnswerEvent.Source.MEMORY).at(askedNanos));
        }
        return answer;
    }

    private AnswerEvent told(Ask ask, EngineDecision decision, AnswerEvent.Source source) {
        return AnswerEvent.of(ask, decision, source, refusing(ask, decision, names), clock);
    }

    /** Returns the name of the first count that refused, or null if none did. */
    static @Nullable String refusing(Ask ask, EngineDecision decision, RedisKeys names) {
        for (int i = 0; i < decision.verdicts().size(); i++) {
            if (!decision.verdicts().get(i).fits()) {
                Demand demand = ask.demands().get(i);
                return names.of(demand.limit(), demand.key());
            }
        }
        return null;
    }
}
