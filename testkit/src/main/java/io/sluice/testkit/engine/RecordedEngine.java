package io.sluice.testkit.engine;

import io.sluice.core.decorator.ForwardingEngine;
import io.sluice.core.history.AnswerEvent;
import io.sluice.core.history.AskTraces;
import io.sluice.core.history.HistoryListener;
import io.sluice.core.history.StepEvent;
import io.sluice.core.limit.Limit;
import io.sluice.core.spi.Answer;
import io.sluice.core.spi.Ask;
import io.sluice.core.spi.Charge;
import io.sluice.core.spi.Demand;
import io.sluice.core.spi.Engine;
import io.sluice.core.spi.EngineDecision;
import io.sluice.core.spi.Settlement;
import io.sluice.core.spi.SettlementResult;
import io.sluice.core.spi.Verdict;
import io.sluice.core.time.Clock;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/**
 * Records the history of an engine that answers immediately and keeps its counts in this process, so that the history checker can check it.
 * A decorator. Thread-safe: it lets one step through at a time, because otherwise the order of the steps would be unknown.
 *
 * <p>Each count is recorded under the name that a limit and a key give it. If the engine uses another count instead, the recorded answers
 * contradict each other, and the checker finds the contradiction.
 */
public final class RecordedEngine extends ForwardingEngine {

    private final HistoryListener history;
    private final Clock clock;
    private final Map<String, Long> numbers = new HashMap<>();

    /**
     * Creates a recorded engine.
     *
     * @param engine an engine that answers immediately; closed together with this engine
     * @param clock the clock of the engine. It must stand still during a step, as a {@code ManualClock} does
     */
    public RecordedEngine(Engine engine, HistoryListener history, Clock clock) {
        super(engine);
        this.history = history;
        this.clock = clock;
    }

    /** Returns the name of a count. */
    public static String count(Limit limit, String key) {
        return limit.name() + ":" + limit.shape() + ":" + key;
    }

    @Override
    public synchronized Answer decide(Ask unnamed) {
        Ask ask = unnamed.trace().isEmpty() ? unnamed.tracedBy(AskTraces.next()) : unnamed;
        Answer answer = engine.decide(ask);
        if (answer instanceof EngineDecision decided) {
            record(ask, decided);
        }
        return answer;
    }

    private void record(Ask ask, EngineDecision decided) {
        String refusing = null;
        for (int i = 0; i < ask.demands().size(); i++) {
            Demand demand = ask.demands().get(i);
            Verdict verdict = decided.verdicts().get(i);
            StepEvent.Step step = new StepEvent.Asked(ask.trace(), demand, ask.charges(), ask.ruleVersion(), verdict);
            record(demand.limit(), demand.key(), ask.charges(), decided.atMicros(), step);
            refusing = refusing == null && !verdict.fits() ? count(demand.limit(), demand.key()) : refusing;
        }
        history.happened(AnswerEvent.of(ask, decided, AnswerEvent.Source.STORE, refusing, clock));
    }

    @Override
    public synchronized CompletionStage<Boolean> giveBack(List<Charge> charges) {
        CompletionStage<Boolean> done = engine.giveBack(charges);
        for (Charge charge : charges) {
            record(charge, new StepEvent.GivenBack(charge));
        }
        return done;
    }

    @Override
    public synchronized CompletionStage<Boolean> renew(Charge charge) {
        boolean held = engine.renew(charge).toCompletableFuture().join();
        record(charge, new StepEvent.Renewed(charge, held));
        return CompletableFuture.completedFuture(held);
    }

    @Override
    public synchronized CompletionStage<List<SettlementResult>> settle(List<Settlement> settlements) {
        List<SettlementResult> results =
                engine.settle(settlements).toCompletableFuture().join();
        for (int i = 0; i < settlements.size(); i++) {
            Settlement settlement = settlements.get(i);
            SettlementResult result = results.get(i);
            if (result.kind() == SettlementResult.Kind.SETTLED) {
                StepEvent.Step step = new StepEvent.Settled(settlement, result.change());
                record(settlement.limit(), settlement.key(), true, clock.epochMicros(), step);
            }
        }
        return CompletableFuture.completedFuture(results);
    }

    private void record(Charge charge, StepEvent.Step step) {
        record(charge.limit(), charge.key(), true, clock.epochMicros(), step);
    }

    /** Records a step. A refusal is numbered like a charge, because it may change the ageing of a count. */
    private void record(Limit limit, String key, boolean changes, long atMicros, StepEvent.Step step) {
        String count = count(limit, key);
        long last = numbers.getOrDefault(count, 0L);
        long number = changes ? last + 1 : last;
        numbers.put(count, number);
        history.happened(new StepEvent(count, 1, number, changes, atMicros, step));
    }
}
