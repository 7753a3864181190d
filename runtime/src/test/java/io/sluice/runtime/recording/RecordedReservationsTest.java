package io.sluice.runtime.recording;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.core.history.HistoryEvent;
import io.sluice.core.history.StepEvent;
import io.sluice.core.limit.FixedWindow;
import io.sluice.core.limit.Limit;
import io.sluice.core.limit.Rate;
import io.sluice.core.limit.SlidingLog;
import io.sluice.core.local.LocalEngine;
import io.sluice.core.spi.Ask;
import io.sluice.core.spi.Charge;
import io.sluice.core.spi.Demand;
import io.sluice.core.spi.EngineDecision;
import io.sluice.core.spi.Settlement;
import io.sluice.core.spi.Verdict;
import io.sluice.core.time.ManualClock;
import io.sluice.history.CheckReport;
import io.sluice.history.History;
import io.sluice.history.HistoryChecker;
import io.sluice.history.Violation;
import io.sluice.testkit.QuietClock;
import io.sluice.testkit.engine.RecordedEngine;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.function.BiFunction;
import java.util.function.Predicate;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;

/**
 * The real engine in process, recorded while it keeps permits for others and settles reservations. The checker accepts what it did, and
 * finds each change of the record.
 */
class RecordedReservationsTest {

    private static final int SEEDS = 40;

    private static final List<Limit> LIMITS = List.of(
            Limit.named("bucket").tokenBucket(Rate.perSecond(20)).withBurst(12),
            Limit.named("odd")
                    .tokenBucket(new Rate(7, Duration.ofMillis(3_001)))
                    .withBurst(9),
            Limit.named("window").fixedWindow(12, Duration.ofSeconds(1)),
            Limit.named("sliding").slidingWindow(12, Duration.ofSeconds(1)).withSlices(4),
            Limit.named("log").slidingLog(12, Duration.ofSeconds(1)));

    @Test
    void areAccepted() {
        long settled = 0;
        for (int seed = 0; seed < SEEDS; seed++) {
            List<HistoryEvent> events = run(seed);
            CheckReport report = check(events);
            assertThat(report.isClean()).as("seed %d: %s", seed, report).isTrue();
            settled +=
                    events.stream().filter(RecordedReservationsTest::isSettled).count();
        }
        assertThat(settled).isGreaterThan(40 * SEEDS);
    }

    @Test
    void aSecondSettlementIsFound() {
        finds(Violation.Kind.SETTLED, (events, at) -> {
            StepEvent first = (StepEvent) events.get(at);
            List<HistoryEvent> twice = new ArrayList<>(events.subList(0, at + 1));
            for (HistoryEvent event : events.subList(at, events.size())) {
                boolean same = event instanceof StepEvent step && step.count().equals(first.count());
                twice.add(same ? oneLater((StepEvent) event) : event);
            }
            return twice;
        });
    }

    private static StepEvent oneLater(StepEvent step) {
        return new StepEvent(
                step.count(), step.since(), step.number() + 1, step.changed(), step.atMicros(), step.step());
    }

    @Test
    void anotherFigureIsFound() {
        finds(
                Violation.Kind.MODEL,
                settlement(s -> with(s.settlement(), s.settlement().actual() + 1, 0, s.change())));
    }

    @Test
    void anotherChangeIsFound() {
        finds(
                Violation.Kind.MODEL,
                settlement(s -> with(s.settlement(), s.settlement().actual(), 0, s.change() + 1)));
    }

    @Test
    void moreGivenBackThanReservedIsFound() {
        finds(
                Violation.Kind.SETTLED,
                settlement(s -> with(s.settlement(), 0, 0, -s.settlement().reserved() - 1)));
    }

    @Test
    void aSettlementOfAReservationThatNobodyMadeIsFound() {
        finds(
                Violation.Kind.SETTLED,
                settlement(s -> with(s.settlement(), s.settlement().actual(), 1, s.change())));
    }

    @Test
    void anAdmissionThatLeavesTooLittleForOthersIsFound() {
        for (Violation.Kind kind : List.of(Violation.Kind.MODEL, Violation.Kind.INTERVAL)) {
            finds(kind, RecordedReservationsTest::isTight, (events, at) -> {
                StepEvent step = (StepEvent) events.get(at);
                StepEvent.Asked asked = (StepEvent.Asked) step.step();
                Demand keeping = asked.demand().keeping(asked.verdict().remaining() + 1);
                return replaced(events, at, new StepEvent.Asked(asked.ask(), keeping, true, 0, asked.verdict()));
            });
        }
    }

    @Test
    void aPassWithoutAPermitLeftIsFound() {
        finds(Violation.Kind.MODEL, RecordedReservationsTest::isRefusedForNothing, (events, at) -> {
            StepEvent.Asked asked = (StepEvent.Asked) ((StepEvent) events.get(at)).step();
            Verdict told = asked.verdict();
            Verdict passed =
                    new Verdict(true, 0, told.remaining(), 0, told.resetAfterMicros(), 0, told.chargedAtMicros());
            return replaced(events, at, new StepEvent.Asked(asked.ask(), asked.demand(), true, 0, passed));
        });
    }

    private static void finds(Violation.Kind kind, BiFunction<List<HistoryEvent>, Integer, List<HistoryEvent>> change) {
        finds(kind, RecordedReservationsTest::isSettled, change);
    }

    /** Changes one step of each history, and expects the checker to find it. */
    private static void finds(
            Violation.Kind kind,
            Predicate<HistoryEvent> which,
            BiFunction<List<HistoryEvent>, Integer, List<HistoryEvent>> change) {
        int changed = 0;
        for (int seed = 0; seed < SEEDS; seed++) {
            List<HistoryEvent> events = run(seed);
            List<Integer> places = new ArrayList<>();
            for (int i = 0; i < events.size(); i++) {
                if (which.test(events.get(i))) {
                    places.add(i);
                }
            }
            if (!places.isEmpty()) {
                int place = places.get(new Random(seed).nextInt(places.size()));
                CheckReport report = check(change.apply(events, place));
                assertThat(report.violations())
                        .as("seed %d, %s", seed, events.get(place))
                        .extracting(Violation::kind)
                        .contains(kind);
                changed++;
            }
        }
        assertThat(changed).isGreaterThan(SEEDS / 2);
    }

    private static BiFunction<List<HistoryEvent>, Integer, List<HistoryEvent>> settlement(
            UnaryOperator<StepEvent.Settled> change) {
        return (events, at) ->
                replaced(events, at, change.apply((StepEvent.Settled) ((StepEvent) events.get(at)).step()));
    }

    private static StepEvent.Settled with(Settlement s, long actual, long later, long change) {
        return new StepEvent.Settled(
                new Settlement(
                        s.limit(),
                        s.key(),
                        s.reserved(),
                        actual,
                        s.chargedAtMicros() + later,
                        s.id(),
                        s.withinMicros()),
                change);
    }

    private static List<HistoryEvent> replaced(List<HistoryEvent> events, int at, StepEvent.Step step) {
        StepEvent before = (StepEvent) events.get(at);
        List<HistoryEvent> changed = new ArrayList<>(events);
        changed.set(
                at,
                new StepEvent(
                        before.count(), before.since(), before.number(), before.changed(), before.atMicros(), step));
        return changed;
    }

    /** Returns whether it is a settlement of a charge that nobody else made at that moment, and that still counts. */
    private static boolean isSettled(HistoryEvent event) {
        return event instanceof StepEvent step
                && step.step() instanceof StepEvent.Settled settled
                && settled.change() != 0
                && settled.change() == settled.settlement().more();
    }

    /** Returns whether something was admitted on a limit whose bound is as tight as its algorithm. */
    private static boolean isTight(HistoryEvent event) {
        return event instanceof StepEvent step
                && step.step() instanceof StepEvent.Asked asked
                && asked.verdict().granted() > 0
                && (asked.demand().limit() instanceof SlidingLog
                        || asked.demand().limit() instanceof FixedWindow);
    }

    private static boolean isRefusedForNothing(HistoryEvent event) {
        return event instanceof StepEvent step
                && step.step() instanceof StepEvent.Asked asked
                && !asked.demand().isCharged()
                && !asked.verdict().fits();
    }

    private static CheckReport check(List<HistoryEvent> events) {
        return HistoryChecker.check(new History(List.of(new History.Node("n", true, events))));
    }

    private static List<HistoryEvent> run(int seed) {
        Random random = new Random(seed);
        ManualClock clock = QuietClock.at(0);
        List<HistoryEvent> events = new ArrayList<>();
        List<Charge> reservations = new ArrayList<>();
        List<Settlement> settlements = new ArrayList<>();
        // The clock stands still during a step, so this engine answers at once.
        try (RecordedEngine engine = new RecordedEngine(new LocalEngine(clock), events::add, clock)) {
            for (int i = 0; i < 400; i++) {
                clock.advance(Duration.ofMillis(random.nextInt(8) == 0 ? 400 : random.nextInt(30)));
                int what = random.nextInt(10);
                if (what < 6 || reservations.isEmpty()) {
                    Ask ask = Ask.charging(List.of(demand(random)));
                    EngineDecision decided = (EngineDecision) engine.decide(ask);
                    reservations.addAll(decided.charges(ask));
                } else if (what < 9) {
                    int newest = reservations.size() - 1;
                    Charge charge = reservations.remove(newest - random.nextInt(Math.min(4, newest + 1)));
                    long actual = random.nextLong(charge.permits() + (random.nextInt(3) == 0 ? 12 : 1));
                    settlements.add(Settlement.of(charge, actual, "r" + i, 5_000_000));
                    settle(engine, settlements.get(settlements.size() - 1));
                } else if (!settlements.isEmpty()) {
                    settle(engine, settlements.get(random.nextInt(settlements.size())));
                }
            }
        }
        return events;
    }

    private static void settle(RecordedEngine engine, Settlement settlement) {
        assertThat(engine.settle(List.of(settlement)).toCompletableFuture().join())
                .hasSize(1);
    }

    private static Demand demand(Random random) {
        Limit limit = LIMITS.get(random.nextInt(LIMITS.size()));
        Demand demand = Demand.of(limit, "k" + random.nextInt(2), 1 + random.nextInt(4));
        Demand keeping = demand.keeping(1 + random.nextInt(9));
        int what = random.nextInt(6);
        return what < 3 ? demand : what < 5 ? keeping : keeping.permits(0);
    }
}
