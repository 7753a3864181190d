package io.sluice.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.core.history.HistoryEvent;
import io.sluice.core.history.StepEvent;
import io.sluice.core.limit.Limit;
import io.sluice.core.limit.Rate;
import io.sluice.core.spi.Ask;
import io.sluice.core.spi.Charge;
import io.sluice.core.spi.Demand;
import io.sluice.core.spi.EngineDecision;
import io.sluice.core.spi.PendingOutcome;
import io.sluice.core.spi.Settlement;
import io.sluice.core.spi.SettlementResult;
import io.sluice.core.time.Clock;
import io.sluice.history.CheckReport;
import io.sluice.history.History;
import io.sluice.history.HistoryChecker;
import io.sluice.history.Violation;
import io.sluice.redis.internal.link.RedisOptions;
import io.sluice.testkit.SeededRandom;
import io.sluice.testkit.redis.RedisServer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.Random;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Two processes on one Redis that keep permits for others and settle reservations, also those of each other, and record it. */
final class RecordedSettlementsTest {

    private static final List<Limit> LIMITS = List.of(
            Limit.named("bucket").tokenBucket(Rate.perSecond(2_000)).withBurst(30),
            Limit.named("window").fixedWindow(30, Duration.ofMillis(20)),
            Limit.named("sliding").slidingWindow(30, Duration.ofMillis(20)).withSlices(4),
            Limit.named("log").slidingLog(30, Duration.ofMillis(20)));

    private final List<Queue<HistoryEvent>> heard =
            List.of(new ConcurrentLinkedQueue<>(), new ConcurrentLinkedQueue<>());
    private final List<RedisEngine> engines = new ArrayList<>();
    private final List<Charge> reservations = new ArrayList<>();
    private final List<Settlement> settlements = new ArrayList<>();
    private final Random random = SeededRandom.of("RecordedSettlementsTest");
    private int names;

    @BeforeEach
    void start() throws Exception {
        RedisServer server = RedisServer.shared();
        for (Queue<HistoryEvent> events : heard) {
            RedisOptions options =
                    RedisOptions.defaults().recording(events::add).slow(Duration.ofMinutes(1));
            RedisEngine engine = RedisEngine.connect(server.uri(), "p", Clock.system(), options);
            engine.ready().toCompletableFuture().get(60, TimeUnit.SECONDS);
            engines.add(engine);
        }
    }

    @AfterEach
    void stop() {
        engines.forEach(RedisEngine::close);
    }

    @Test
    void areJudgedLikeEveryOtherStep() throws Exception {
        for (int i = 0; i < 1_200; i++) {
            int what = random.nextInt(10);
            if (what < 6 || reservations.isEmpty()) {
                decide();
            } else if (what < 9) {
                Charge charge = reservations.remove(random.nextInt(reservations.size()));
                long actual = random.nextLong(charge.permits() + (random.nextInt(3) == 0 ? 20 : 1));
                settlements.add(Settlement.of(charge, actual, "r" + names++, 60_000_000));
                settle(settlements.get(settlements.size() - 1));
            } else if (!settlements.isEmpty()) {
                settle(settlements.get(random.nextInt(settlements.size())));
            }
        }
        CheckReport report = check(List.copyOf(heard.get(0)));
        assertThat(report.isClean()).as("%s", report).isTrue();
        assertThat(report.missing()).isZero();
        List<HistoryEvent> events = new ArrayList<>(heard.get(0));
        int at = events.indexOf(events.stream()
                .filter(event ->
                        event instanceof StepEvent step && step.changed() && step.step() instanceof StepEvent.Settled)
                .findFirst()
                .orElseThrow());
        StepEvent step = (StepEvent) events.get(at);
        StepEvent.Settled settled = (StepEvent.Settled) step.step();
        StepEvent.Step wrong = new StepEvent.Settled(settled.settlement(), settled.change() + 1);
        events.set(at, new StepEvent(step.count(), step.since(), step.number(), true, step.atMicros(), wrong));
        assertThat(check(events).violations()).extracting(Violation::kind).contains(Violation.Kind.MODEL);
    }

    /** A repetition changes nothing either, and is no step. */
    @Test
    void aSettlementOfTheReservedFigureIsAStepThatChangesNothing() throws Exception {
        List<Limit> numberedInTheirState = LIMITS.subList(0, 3);
        for (Limit limit : numberedInTheirState) {
            heard.get(0).clear();
            Ask ask = Ask.charging(List.of(Demand.of(limit, "equal", 3)));
            Charge charge = decide(engines.get(0), ask).charges(ask).get(0);
            Settlement settlement = Settlement.of(charge, 3, "equal", 60_000_000);
            for (int i = 0; i < 2; i++) {
                assertThat(engines.get(0)
                                .settle(List.of(settlement))
                                .toCompletableFuture()
                                .get(60, TimeUnit.SECONDS))
                        .extracting(SettlementResult::change)
                        .containsExactly(0L);
            }
            decide(engines.get(0), ask);

            List<StepEvent> steps = heard.get(0).stream()
                    .filter(StepEvent.class::isInstance)
                    .map(StepEvent.class::cast)
                    .toList();
            long first = steps.get(0).number();
            assertThat(steps)
                    .as("%s", limit)
                    .extracting(step -> step.number() - first + " " + step.changed())
                    .containsExactly("0 true", "0 false", "1 true");
            assertThat(steps.get(1).step()).isEqualTo(new StepEvent.Settled(settlement, 0));
        }
    }

    private CheckReport check(List<HistoryEvent> first) {
        return HistoryChecker.check(new History(
                List.of(new History.Node("n0", true, first), new History.Node("n1", true, List.copyOf(heard.get(1))))));
    }

    private void decide() throws Exception {
        Demand first = demand();
        Demand second = demand();
        Ask ask = Ask.charging(first.limit().equals(second.limit()) ? List.of(first) : List.of(first, second));
        EngineDecision decided = decide(anyEngine(), ask);
        if (decided.allowed()) {
            reservations.addAll(decided.charges(ask));
        }
    }

    private EngineDecision decide(RedisEngine engine, Ask ask) throws Exception {
        PendingOutcome pending = (PendingOutcome) engine.decide(ask.tracedBy("a" + names++));
        return (EngineDecision) pending.outcome().toCompletableFuture().get(60, TimeUnit.SECONDS);
    }

    private Demand demand() {
        Limit limit = LIMITS.get(random.nextInt(LIMITS.size()));
        Demand demand = Demand.of(limit, "k" + random.nextInt(2), 1 + random.nextInt(6));
        Demand keeping = demand.keeping(1 + random.nextInt(20));
        int what = random.nextInt(6);
        return what < 3 ? demand : what < 5 ? keeping : keeping.permits(0);
    }

    private void settle(Settlement settlement) throws Exception {
        List<SettlementResult> results =
                anyEngine().settle(List.of(settlement)).toCompletableFuture().get(60, TimeUnit.SECONDS);
        assertThat(results).hasSize(1);
    }

    private RedisEngine anyEngine() {
        return engines.get(random.nextInt(engines.size()));
    }
}
