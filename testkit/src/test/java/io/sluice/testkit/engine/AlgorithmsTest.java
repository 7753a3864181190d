package io.sluice.testkit.engine;

import io.sluice.core.algorithm.Count;
import io.sluice.core.limit.Limit;
import io.sluice.core.spi.Ask;
import io.sluice.core.spi.Charge;
import io.sluice.core.spi.Demand;
import io.sluice.core.spi.Engine;
import io.sluice.core.spi.EngineDecision;
import io.sluice.core.spi.Settlement;
import io.sluice.core.spi.SettlementResult;
import io.sluice.core.spi.Verdict;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;

/** The bare algorithms, with nothing around them but a map, replay the vectors. */
final class AlgorithmsTest {

    @TestFactory
    Stream<DynamicTest> replayGoldenVectors() {
        return Stream.of(GoldenVector.all(), GoldenVector.keeping(), GoldenVector.settling())
                .flatMap(List::stream)
                .map(vector -> DynamicTest.dynamicTest(vector.toString(), () -> vector.replay(new Counts())));
    }

    private static final class Counts implements EngineUnderTest, Engine {

        private final Map<String, Count> counts = new HashMap<>();
        private final Map<String, Long> figures = new HashMap<>();
        private final Map<String, Long> changes = new HashMap<>();
        private long now;

        @Override
        public EngineDecision decide(Ask ask) {
            List<Long> grants = new ArrayList<>();
            for (Demand demand : ask.demands()) {
                grants.add(count(demand.limit(), demand.key()).grant(demand, now));
            }
            boolean allowed = !grants.contains(0L);
            List<Verdict> verdicts = new ArrayList<>();
            for (int i = 0; i < grants.size(); i++) {
                Demand demand = ask.demands().get(i);
                Count count = count(demand.limit(), demand.key());
                boolean charged = allowed && ask.charges() && demand.isCharged();
                verdicts.add(count.verdict(demand, grants.get(i), charged, now));
                if (charged) {
                    count.charge(demand, grants.get(i), now);
                } else if (ask.charges()) {
                    count.refuse(now);
                }
            }
            return new EngineDecision(allowed, verdicts, now, null);
        }

        @Override
        public CompletionStage<Boolean> giveBack(List<Charge> charges) {
            charges.forEach(charge -> count(charge.limit(), charge.key()).giveBack(charge, now));
            return CompletableFuture.completedFuture(false);
        }

        @Override
        public CompletionStage<Boolean> renew(Charge charge) {
            return CompletableFuture.completedFuture(
                    count(charge.limit(), charge.key()).renew(charge, now));
        }

        @Override
        public CompletionStage<List<SettlementResult>> settle(List<Settlement> settlements) {
            return CompletableFuture.completedFuture(
                    settlements.stream().map(this::settle).toList());
        }

        private SettlementResult settle(Settlement settlement) {
            if (!settlement.isDue(now)) {
                return SettlementResult.UNKNOWN;
            }
            Count count = count(settlement.limit(), settlement.key());
            String id = settlement.id() + "@" + System.identityHashCode(count);
            Long figure = figures.putIfAbsent(id, settlement.actual());
            if (figure == null) {
                changes.put(id, count.settle(settlement, now));
                return new SettlementResult(SettlementResult.Kind.SETTLED, changes.get(id));
            }
            return figure == settlement.actual()
                    ? new SettlementResult(SettlementResult.Kind.REPEATED, changes.get(id))
                    : SettlementResult.CONFLICT;
        }

        private Count count(Limit limit, String key) {
            return counts.computeIfAbsent(limit.name() + ":" + limit.shape() + ":" + key, k -> Count.of(limit));
        }

        @Override
        public Engine engine() {
            return this;
        }

        @Override
        public void setMicros(long epochMicros) {
            now = epochMicros;
        }

        @Override
        public String name() {
            return "counts";
        }

        @Override
        public void close() {}
    }
}
