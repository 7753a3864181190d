package io.sluice.core.local;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.core.Seeded;
import io.sluice.core.limit.Limit;
import io.sluice.core.limit.Rate;
import io.sluice.core.limit.TokenBucket;
import io.sluice.core.spi.Ask;
import io.sluice.core.spi.Demand;
import io.sluice.core.spi.EngineDecision;
import io.sluice.core.time.ManualClock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

/** Eight threads at once, with totals that are exact to the permit. */
final class StressTest {

    private static final int THREADS = 8;

    private final ManualClock clock = ManualClock.at(1_790_000_000_000_000L);

    /** A14, by millions: while time stands still, exactly the burst is admitted. */
    @Test
    void exactlyTheBurstPassesWhenAllWaysToADecisionAreUsedAtOnce() throws Exception {
        LocalEngine engine = new LocalEngine(clock);
        TokenBucket limit = Limit.named("x").tokenBucket(Rate.perDay(1)).withBurst(1_000_000);
        Gate shared = engine.gate(limit, "k");
        long asks = Seeded.scaled(200_000);
        long admitted = inParallel(thread -> {
            Gate own = engine.gate(limit, "k");
            Ask one = Ask.charging(List.of(Demand.of(limit, "k", 1)));
            long passed = 0;
            for (long i = 0; i < asks; i++) {
                passed += switch ((int) (i % 4)) {
                    case 0 -> shared.tryPass(1) ? 1 : 0;
                    case 1 -> own.pass(2).granted();
                    case 2 -> own.tryPass(1) ? 1 : 0;
                    default ->
                        ((EngineDecision) engine.decide(one)).verdicts().get(0).granted();
                };
            }
            return passed;
        });
        assertThat(admitted).isEqualTo(Math.min(1_000_000, THREADS * asks / 4 * 5));
    }

    @Test
    void decisionsOverSeveralLimitsChargeAllOrNoneWhileOthersChargeOneAndGiveBack() throws Exception {
        LocalEngine engine = new LocalEngine(clock);
        TokenBucket bucket = Limit.named("bucket").tokenBucket(Rate.perDay(1)).withBurst(50_000);
        Limit log = Limit.named("log").slidingLog(40_000, Duration.ofDays(1));
        Limit window = Limit.named("window").fixedWindow(30_000, Duration.ofDays(1));
        AtomicLong both = new AtomicLong();
        long alone = inParallel(thread -> {
            long passed = 0;
            for (long i = 0; i < Seeded.scaled(20_000); i++) {
                Demand first = Demand.of(bucket, "k", 1);
                Demand second = Demand.of(log, "k", 1);
                Demand third = Demand.of(window, "k", 1);
                Ask several = Ask.charging(i % 2 == 0 ? List.of(first, second, third) : List.of(third, first, second));
                EngineDecision decided = (EngineDecision) engine.decide(several);
                if (decided.allowed() && i % 5 == 0) {
                    engine.giveBack(decided.charges(several));
                } else if (decided.allowed()) {
                    both.incrementAndGet();
                }
                passed += ((EngineDecision) engine.decide(Ask.charging(List.of(first)))).allowed() ? 1 : 0;
            }
            return passed;
        });
        assertThat(remaining(engine, bucket)).isEqualTo(50_000 - both.get() - alone);
        assertThat(remaining(engine, log)).isEqualTo(40_000 - both.get());
        assertThat(remaining(engine, window)).isEqualTo(30_000 - both.get());
    }

    /** Counts come and go as fast as possible, under keys that all threads use. */
    @Test
    void noChargeIsLostWhileCountsAreSweptUnderThem() throws Exception {
        LocalEngine engine = new LocalEngine(clock);
        TokenBucket limit = Limit.named("x").tokenBucket(Rate.perDay(1)).withBurst(1_000);
        TokenBucket fleeting =
                Limit.named("y").tokenBucket(Rate.perSecond(1_000_000)).withBurst(1);
        for (int i = 0; i < 3_000; i++) {
            engine.decide(Ask.charging(List.of(Demand.of(fleeting, "filler" + i, 1))));
        }
        clock.advance(Duration.ofSeconds(1));
        long admitted = inParallel(thread -> {
            long passed = 0;
            for (int i = 0; i < Seeded.scaled(40_000); i++) {
                // Once charged and given back, a count is unused and may be swept at once by a thread that adds one.
                Ask ask = Ask.charging(List.of(Demand.of(limit, "brief" + i % 50, 1)));
                EngineDecision decided = (EngineDecision) engine.decide(ask);
                engine.giveBack(decided.charges(ask));
                engine.decide(Ask.charging(List.of(Demand.of(fleeting, thread + "." + i, 1))));
                passed +=
                        ((EngineDecision) engine.decide(Ask.charging(List.of(Demand.of(limit, "lasting" + i % 50, 1)))))
                                        .allowed()
                                ? 1
                                : 0;
                if (thread == 0 && i % 100 == 0) {
                    clock.advance(Duration.ofNanos(1_000));
                }
            }
            return passed;
        });
        long used = 0;
        for (int i = 0; i < 50; i++) {
            Ask look = Ask.charging(List.of(Demand.of(limit, "lasting" + i, 1))).looking();
            used += 1_000
                    - ((EngineDecision) engine.decide(look)).verdicts().get(0).remaining();
            Ask brief = Ask.charging(List.of(Demand.of(limit, "brief" + i, 1))).looking();
            assertThat(((EngineDecision) engine.decide(brief)).verdicts().get(0).remaining())
                    .isEqualTo(1_000);
        }
        assertThat(admitted).isEqualTo(50_000).isEqualTo(used);
    }

    @Test
    void whatWasUsedIsRightToThePermitWhileTheNumbersOfALimitChange() throws Exception {
        LocalEngine engine = new LocalEngine(clock);
        List<TokenBucket> numbers = new ArrayList<>();
        for (int i = 0; i < 5; i++) {
            numbers.add(Limit.named("x").tokenBucket(Rate.perDay(1 + i)).withBurst(1_000_000_000 + i));
        }
        long admitted = inParallel(thread -> {
            long passed = 0;
            Gate gate = engine.gate(numbers.get(thread % 5), "k");
            for (int i = 0; i < Seeded.scaled(20_000); i++) {
                Ask ask = Ask.charging(List.of(Demand.of(numbers.get((thread + i / 100) % 5), "k", 1)));
                passed += ((EngineDecision) engine.decide(ask)).allowed() ? 1 : 0;
                passed += i % 10 == 0 && gate.tryPass(1) ? 1 : 0;
            }
            return passed;
        });
        assertThat(remaining(engine, numbers.get(0))).isEqualTo(1_000_000_000 - admitted);
        assertThat(admitted).isEqualTo(THREADS * Seeded.scaled(22_000));
    }

    /** The bound on keys is not exact while many threads add at once; the error is less than the number of segments. */
    @Test
    void aFloodFromEightThreadsStaysWithinTheBound() throws Exception {
        LocalEngine engine = LocalEngine.builder().clock(clock).maxKeys(5_000).build();
        TokenBucket limit = Limit.named("x").tokenBucket(Rate.perDay(1)).withBurst(3);
        long admitted = inParallel(thread -> {
            long passed = 0;
            for (int i = 0; i < Seeded.scaled(25_000, 500_000); i++) {
                Ask ask = Ask.charging(List.of(Demand.of(limit, thread + "." + i, 1)));
                passed += ((EngineDecision) engine.decide(ask)).allowed() ? 1 : 0;
            }
            return passed;
        });
        assertThat(engine.keys()).isBetween(5_000L, 5_000L + 64 + 16);
        assertThat(admitted).isBetween(5_000L, 5_000L + 64 + 16 * 3);
    }

    private static long remaining(LocalEngine engine, Limit limit) {
        Ask look = Ask.charging(List.of(Demand.of(limit, "k", 1))).looking();
        return ((EngineDecision) engine.decide(look)).verdicts().get(0).remaining();
    }

    private interface Work {
        long run(int thread) throws Exception;
    }

    private static long inParallel(Work work) throws Exception {
        ExecutorService threads = Executors.newFixedThreadPool(THREADS);
        try {
            CyclicBarrier start = new CyclicBarrier(THREADS);
            List<Future<Long>> results = new ArrayList<>();
            for (int i = 0; i < THREADS; i++) {
                int thread = i;
                results.add(threads.submit(() -> {
                    start.await();
                    return work.run(thread);
                }));
            }
            long sum = 0;
            for (Future<Long> result : results) {
                sum += result.get(10, TimeUnit.MINUTES);
            }
            return sum;
        } finally {
            threads.shutdownNow();
        }
    }
}
