package io.sluice.benchmarks.faults;

import io.sluice.core.spi.Answer;
import io.sluice.core.spi.Ask;
import io.sluice.core.spi.Demand;
import io.sluice.core.spi.Engine;
import io.sluice.core.spi.EngineDecision;
import io.sluice.core.spi.Outcome;
import io.sluice.core.spi.PendingOutcome;
import io.sluice.core.spi.Verdict;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** Asks an engine and waits for the answer. */
final class Asks {

    private Asks() {}

    static Outcome ask(Engine engine, Ask ask) {
        Answer answer = engine.decide(ask);
        return answer instanceof PendingOutcome pending
                ? pending.outcome()
                        .toCompletableFuture()
                        .orTimeout(30, TimeUnit.SECONDS)
                        .join()
                : (Outcome) answer;
    }

    static boolean passes(Engine engine, Demand demand) {
        return ask(engine, Ask.charging(List.of(demand))) instanceof EngineDecision decided && decided.allowed();
    }

    /** Looks at a count. Asks again while Redis is not asked, because the breaker is open after a fault or on a busy machine. */
    static Verdict look(Engine engine, Demand demand) {
        Ask looking = Ask.charging(List.of(demand)).looking();
        List<Verdict> seen = new ArrayList<>();
        Traffic.await(() -> {
            if (ask(engine, looking) instanceof EngineDecision decided) {
                seen.addAll(decided.verdicts());
            }
            return !seen.isEmpty();
        });
        return seen.get(0);
    }
}
