package io.sluice.runtime.versions;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.core.Limiter;
import io.sluice.core.decorator.ForwardingEngine;
import io.sluice.core.local.LocalEngine;
import io.sluice.core.spi.Answer;
import io.sluice.core.spi.Ask;
import io.sluice.core.spi.Engine;
import io.sluice.core.time.ManualClock;
import io.sluice.rules.caller.KeySettings;
import io.sluice.rules.evaluate.Evaluator;
import io.sluice.rules.evaluate.Ruling;
import io.sluice.rules.pattern.Attributes;
import io.sluice.runtime.versions.TwoVersions.Order;
import io.sluice.testkit.QuietClock;
import io.sluice.testkit.SeededRandom;
import io.sluice.testkit.engine.RecordedEngine;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLongArray;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Two versions of the rules that alternate on one count of the in-process engine. */
class TwoVersionsInProcessTest {

    private static final int ROUNDS = 60;

    private final SeededRandom random = SeededRandom.of("TwoVersionsInProcessTest");
    private final ManualClock clock = QuietClock.at(1_700_000_000_000_000L);
    private final SharedHistory history = new SharedHistory();

    @ParameterizedTest
    @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "NODE_BY_NODE")
    void keepTheBoundOnOneCountInAnyOrder(Order order) {
        run(TwoVersions.ofNumbers(TwoVersions.LOCAL), order, new LocalEngine(clock));

        assertThat(history.counts()).hasSize(6);
        history.assertClean();
        history.assertComplete();
        assertThat(history.admittedBy(TwoVersions.OLDER)).containsAll(TwoVersions.ALGORITHMS);
        assertThat(history.admittedBy(TwoVersions.NEWER)).containsAll(TwoVersions.ALGORITHMS);
    }

    @Test
    void keepTheBoundWhenOneOfThemRefusesEverything() {
        run(TwoVersions.ofZero(TwoVersions.LOCAL), Order.ONE_EACH, new LocalEngine(clock));

        assertThat(history.counts()).hasSize(6);
        history.assertClean();
        history.assertComplete();
        assertThat(history.admittedBy(TwoVersions.OLDER)).containsAll(TwoVersions.ALGORITHMS);
        assertThat(history.admittedBy(TwoVersions.NEWER)).isEmpty();
    }

    @Test
    void haveACountEachWhereTheWindowDiffers() {
        run(TwoVersions.ofWindows(TwoVersions.LOCAL), Order.AT_RANDOM, new LocalEngine(clock));

        assertThat(history.counts()).as("two for each window").hasSize(6 + 3);
        history.assertClean();
        history.assertComplete();
    }

    @Test
    void areFoundIfTheyHaveACountEach() {
        run(TwoVersions.ofNumbers(TwoVersions.LOCAL), Order.ONE_EACH, new CountPerVersion(clock));

        history.assertFoundForEachAlgorithm();
    }

    @Test
    void areFoundIfAChangeOfNumbersForgetsWhatWasUsed() {
        run(TwoVersions.ofNumbers(TwoVersions.LOCAL), Order.LONG_BLOCKS, new FreshAtEachChange(clock));

        history.assertFoundForEachAlgorithm();
    }

    /** Here the engine is not recorded, so that threads meet on the count itself. */
    @Test
    void admitTheLargerLimitTogetherAndNeverMoreAtOnce() throws Exception {
        TwoVersions versions = TwoVersions.ofNumbers(TwoVersions.LOCAL);
        Evaluator evaluator = evaluator(new LocalEngine(clock), versions, Order.AT_RANDOM);
        ExecutorService threads = Executors.newFixedThreadPool(4);
        try {
            for (String algorithm : TwoVersions.ALGORITHMS) {
                AtomicLongArray admitted = new AtomicLongArray(2);
                List<Future<?>> all = new ArrayList<>();
                for (int i = 0; i < 4; i++) {
                    all.add(threads.submit(() -> hammer(evaluator, algorithm, admitted)));
                }
                for (Future<?> each : all) {
                    each.get(5, TimeUnit.MINUTES);
                }
                // A leaky bucket holds one more than may wait.
                int passing = algorithm.equals("leaky") ? 1 : 0;
                assertThat(admitted.get(0) + admitted.get(1)).as(algorithm).isEqualTo(50 + passing);
                assertThat(admitted.get(0)).as(algorithm).isLessThanOrEqualTo(5 + passing);
            }
        } finally {
            threads.shutdownNow();
        }
    }

    private static void hammer(Evaluator evaluator, String algorithm, AtomicLongArray admitted) {
        Attributes request = Attributes.of(Map.of("user", "u-17", "asks", algorithm));
        for (int i = 0; i < 500; i++) {
            Ruling.Settled ruling = (Ruling.Settled)
                    evaluator.evaluate(request, 1).toCompletableFuture().join();
            if (ruling.allowed()) {
                admitted.incrementAndGet((int) (ruling.ruleVersion() - TwoVersions.OLDER));
            }
        }
    }

    private void run(TwoVersions versions, Order order, Engine engine) {
        Evaluator evaluator = evaluator(new RecordedEngine(engine, history.node(), clock), versions, order);
        try (Callers callers = new Callers(List.of(evaluator), random)) {
            for (int i = 0; i < ROUNDS; i++) {
                callers.round();
                clock.advance(
                        Duration.of(random.nextInt(random.oneOf(1, 1_000, 50_000, 3_000_000)), ChronoUnit.MICROS));
            }
        }
    }

    private Evaluator evaluator(Engine engine, TwoVersions versions, Order order) {
        return new Evaluator(
                versions.decidedBy(order, 0, ROUNDS * Callers.REQUESTS_PER_ROUND, random),
                new Limiter(engine, clock, List.of()),
                null,
                KeySettings.ofThisProcess(),
                clock,
                (ruling, nanos) -> {});
    }

    /** An engine with a planted mistake: each version has counts of its own. */
    private static final class CountPerVersion extends ForwardingEngine {

        private final Engine newer;

        CountPerVersion(ManualClock clock) {
            super(new LocalEngine(clock));
            this.newer = new LocalEngine(clock);
        }

        @Override
        public Answer decide(Ask ask) {
            return (ask.ruleVersion() == TwoVersions.OLDER ? engine : newer).decide(ask);
        }
    }

    /** An engine with a planted mistake: when the version changes, its counts are unused again. */
    private static final class FreshAtEachChange extends ForwardingEngine {

        private final ManualClock clock;
        private Engine current;
        private long version;

        FreshAtEachChange(ManualClock clock) {
            super(new LocalEngine(clock));
            this.clock = clock;
            this.current = engine;
        }

        @Override
        public synchronized Answer decide(Ask ask) {
            if (ask.ruleVersion() != version) {
                version = ask.ruleVersion();
                current = new LocalEngine(clock);
            }
            return current.decide(ask);
        }
    }
}
