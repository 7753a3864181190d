package io.sluice.runtime.durable;

import io.sluice.core.decorator.ForwardingEngine;
import io.sluice.core.limit.FixedWindow;
import io.sluice.core.spi.Answer;
import io.sluice.core.spi.Ask;
import io.sluice.core.spi.Charge;
import io.sluice.core.spi.Demand;
import io.sluice.core.spi.Engine;
import io.sluice.core.spi.EngineDecision;
import io.sluice.core.spi.EngineFailure;
import io.sluice.core.spi.Outcome;
import io.sluice.core.spi.PendingOutcome;
import io.sluice.core.spi.Settlement;
import io.sluice.core.spi.SettlementResult;
import io.sluice.core.spi.SettlementResult.Kind;
import io.sluice.core.spi.Verdict;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * Notes the charges of the shared engine to durable limits. While the store lacks charges of earlier stores, this engine does not decide
 * requests with durable limits, so that their failure policy decides. Other requests pass through. A decorator. Thread-safe; never waits.
 *
 * <p><b>Accuracy.</b> Decisions are those of the engine. Permits that are given back are subtracted only if their window still counts by
 * the last known time of the store, so sums may be too large around the end of a window, never too small.
 */
final class DurableEngine extends ForwardingEngine {

    private final DurableLimits limits;
    private final DurableSums sums;
    private final StoreMark mark;
    private final StoreTime time;

    DurableEngine(Engine engine, DurableLimits limits, DurableSums sums, StoreMark mark, StoreTime time) {
        super(engine);
        this.limits = limits;
        this.sums = sums;
        this.mark = mark;
        this.time = time;
    }

    @Override
    public Answer decide(Ask ask) {
        if (!isDurable(ask)) {
            return engine.decide(ask);
        }
        String store = mark.restored();
        if (store == null) {
            return new EngineFailure(StoreMark.NOT_RESTORED, false);
        }
        Answer answer = engine.decide(ask);
        if (answer instanceof EngineDecision decided) {
            note(store, ask, decided);
        } else if (answer instanceof PendingOutcome pending) {
            // Noted before any caller receives the answer.
            return new PendingOutcome(
                    pending.outcome().thenApply(outcome -> noted(store, ask, outcome)), pending.afterArrivals());
        }
        return answer;
    }

    private boolean isDurable(Ask ask) {
        for (Demand demand : ask.demands()) {
            if (limits.durable(demand.limit()) != null) {
                return true;
            }
        }
        return false;
    }

    private Outcome noted(String store, Ask ask, Outcome outcome) {
        if (outcome instanceof EngineDecision decided) {
            note(store, ask, decided);
        }
        return outcome;
    }

    private void note(String store, Ask ask, EngineDecision decided) {
        if (decided.degraded() != null) {
            return;
        }
        time.saw(decided.atMicros());
        if (!ask.charges()) {
            return;
        }
        for (int i = 0; i < decided.verdicts().size(); i++) {
            Verdict verdict = decided.verdicts().get(i);
            Demand demand = ask.demands().get(i);
            if (verdict.granted() > 0) {
                long at = verdict.chargedAtMicros() > 0 ? verdict.chargedAtMicros() : decided.atMicros();
                note(store, limits.durable(demand.limit()), demand.key(), at, verdict.granted());
            }
        }
    }

    private void note(String store, @Nullable FixedWindow limit, String key, long atMicros, long permits) {
        if (limit == null) {
            return;
        }
        if (key.length() > DurableCount.LONGEST_KEY || limit.name().length() > DurableCount.LONGEST_NAME) {
            sums.leaveOut();
            return;
        }
        sums.add(store, DurableCount.of(limit, key, atMicros), permits);
    }

    @Override
    public CompletionStage<Boolean> giveBack(List<Charge> charges) {
        CompletionStage<Boolean> given = engine.giveBack(charges);
        String store = mark.restored();
        for (Charge charge : charges) {
            FixedWindow limit = limits.durable(charge.limit());
            if (limit != null && store != null) {
                given = given.thenApply(held -> subtracted(held, store, limit, charge));
            }
        }
        return given;
    }

    private Boolean subtracted(Boolean held, String store, FixedWindow limit, Charge charge) {
        if (limit.windows().at(charge.chargedAtMicros()).contains(time.nowMicros())) {
            note(store, limit, charge.key(), charge.chargedAtMicros(), -charge.permits());
        }
        return held;
    }

    /** A settlement in a store that lacks the reservation would give back too few permits, so it has to be repeated later. */
    @Override
    public CompletionStage<List<SettlementResult>> settle(List<Settlement> settlements) {
        if (settlements.stream().noneMatch(each -> limits.durable(each.limit()) != null)) {
            return engine.settle(settlements);
        }
        String store = mark.restored();
        if (store == null) {
            return CompletableFuture.failedFuture(new IllegalStateException(StoreMark.NOT_RESTORED));
        }
        return engine.settle(settlements).thenApply(results -> noted(store, settlements, results));
    }

    private List<SettlementResult> noted(String store, List<Settlement> settlements, List<SettlementResult> results) {
        for (int i = 0; i < results.size(); i++) {
            Settlement settlement = settlements.get(i);
            FixedWindow limit = limits.durable(settlement.limit());
            long change = results.get(i).change();
            if (limit != null && results.get(i).kind() == Kind.SETTLED && change != 0) {
                note(
                        store,
                        limit,
                        settlement.key(),
                        Math.max(settlement.chargedAtMicros(), now(limit, settlement)),
                        change);
            }
        }
        return results;
    }

    /** A charge beyond the reservation counts in the present window, and only there can permits be given back. */
    private long now(FixedWindow limit, Settlement settlement) {
        long now = time.nowMicros();
        return limit.windows().at(settlement.chargedAtMicros()).contains(now) ? settlement.chargedAtMicros() : now;
    }
}
