package io.sluice.core.decorator;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.core.Seeded;
import io.sluice.core.limit.Calendar;
import io.sluice.core.limit.LeakyBucket;
import io.sluice.core.limit.Limit;
import io.sluice.core.limit.Rate;
import io.sluice.core.limit.SlidingLog;
import io.sluice.core.local.LocalEngine;
import io.sluice.core.spi.Ask;
import io.sluice.core.spi.Charge;
import io.sluice.core.spi.Demand;
import io.sluice.core.spi.Engine;
import io.sluice.core.spi.EngineDecision;
import io.sluice.core.spi.KeyMatch;
import io.sluice.core.spi.Settlement;
import io.sluice.core.spi.SettlementResult;
import io.sluice.core.spi.Verdict;
import io.sluice.core.time.ManualClock;
import java.time.Duration;
import java.time.ZoneOffset;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

final class GuardTest {

    private final ManualClock clock = ManualClock.at(1_790_000_000_000_000L);

    static Stream<Limit> limits() {
        return Stream.of(
                Limit.named("tb").tokenBucket(Rate.perSecond(2)).withBurst(5),
                Limit.named("odd")
                        .tokenBucket(new Rate(7, Duration.ofMillis(3_001)))
                        .withBurst(8),
                Limit.named("wait").tokenBucket(Rate.perSecond(3)).withBurst(4).withMaxWait(Duration.ofSeconds(1)),
                Limit.named("lb").leakyBucket(Rate.perSecond(2)).withCapacity(5),
                Limit.named("fw").fixedWindow(5, Duration.ofSeconds(3)),
                Limit.named("day").fixedWindow(5, Calendar.DAY, ZoneOffset.UTC),
                Limit.named("sw").slidingWindow(5, Duration.ofSeconds(3)),
                Limit.named("est")
                        .slidingWindow(7, Duration.ofSeconds(3))
                        .withSlices(3)
                        .asEstimate(),
                Limit.named("sl").slidingLog(5, Duration.ofSeconds(3)));
    }

    /** One process behind the guard and others beside it, one after the other. The store has its own clock. */
    @ParameterizedTest
    @ValueSource(doubles = {1, 1.000_000_1, 1.2, 3})
    void neverRefusesWhatTheStoreWouldAdmit(double times) {
        Seeded random = Seeded.random("neverRefusesWhatTheStoreWouldAdmit");
        int saved = 0;
        for (int run = 0; run < Seeded.scaled(5, 250); run++) {
            long ahead = random.nextInt(3) == 0 ? 0 : random.nextLong() % 100_000_000_000L;
            try (LocalEngine store = LocalEngine.onTime(() -> clock.epochMicros() + ahead)) {
                Guard guard = new Guard(store, clock);
                List<Charge> own = new ArrayList<>();
                List<Charge> others = new ArrayList<>();
                for (int i = 0; i < 500; i++) {
                    clock.advance(Duration.of(random.magnitude(1, 2_000_000) - 1, ChronoUnit.MICROS));
                    if (random.oneIn(12)) {
                        give(guard, own, random);
                        give(store, others, random);
                    }
                    if (random.oneIn(6)) {
                        settle(guard, own, "own" + i, random);
                        settle(store, others, "other" + i, random);
                    }
                    Ask ask = randomAsk(random, times);
                    if (random.oneIn(3)) {
                        others.addAll(decided(store.decide(ask)).charges(ask));
                        continue;
                    }
                    EngineDecision would = decided(store.decide(ask.looking()));
                    long before = guard.refused();
                    EngineDecision decided = decided(guard.decide(ask));
                    assertThat(decided.allowed())
                            .as("%s, run %d, %d, guard %s, %s", random, run, i, times, ask)
                            .isEqualTo(would.allowed());
                    assertThat(decided.degraded()).isNull();
                    saved += (int) (guard.refused() - before);
                    own.addAll(decided.charges(ask));
                }
            }
        }
        assertThat(saved).isGreaterThan(times < 1.1 ? 20 : -1);
    }

    @ParameterizedTest
    @MethodSource("limits")
    void refusesLikeTheStoreWhatThisProcessUsedUpAlone(Limit limit) {
        try (LocalEngine store = new LocalEngine(clock)) {
            Guard guard = new Guard(store, clock);
            long capacity = limit.capacity();
            Demand all = Demand.of(limit, "k", capacity).guardedBy(1).waitingUpTo(0);
            assertThat(decided(guard.decide(Ask.charging(List.of(all)))).allowed())
                    .isTrue();
            clock.advance(Duration.ofMillis(1));
            Ask again = Ask.charging(List.of(all));
            Verdict told = decided(guard.decide(again)).verdicts().get(0);
            assertThat(guard.refused()).isEqualTo(1);
            Verdict same = decided(store.decide(again.looking())).verdicts().get(0);
            assertThat(told.fits()).isFalse();
            assertThat(told.remaining()).isEqualTo(same.remaining());
            assertThat(told.retryAfterMicros()).isEqualTo(same.retryAfterMicros());
            assertThat(told.resetAfterMicros()).isEqualTo(same.resetAfterMicros());
        }
    }

    @Test
    void leavesConcurrencyAndUnguardedDemandsAlone() {
        Limit slots = Limit.named("slots").concurrency(1, Duration.ofMinutes(1));
        Limit one = Limit.named("one").slidingLog(1, Duration.ofMinutes(1));
        try (LocalEngine store = new LocalEngine(clock)) {
            Guard guard = new Guard(store, clock);
            for (int i = 0; i < 3; i++) {
                decided(guard.decide(
                        Ask.charging(List.of(Demand.of(slots, "k", 1).guardedBy(1)))));
                decided(guard.decide(Ask.charging(List.of(Demand.of(one, "k", 1)))));
            }
            assertThat(guard.refused()).isZero();
            assertThat(guard.size()).isZero();
        }
    }

    @Test
    void keepsNoMoreCountsThanItsBoundAndForgetsThoseThatAreIdle() {
        Limit one = Limit.named("one").slidingLog(1, Duration.ofSeconds(10));
        try (LocalEngine store = new LocalEngine(clock)) {
            Guard guard = new Guard(store, clock);
            for (int i = 0; i < Guard.MOST_COUNTS + 1_000; i++) {
                Ask ask = Ask.charging(List.of(Demand.of(one, "k" + i, 1).guardedBy(1)));
                assertThat(decided(guard.decide(ask)).allowed()).isTrue();
            }
            assertThat(guard.size()).isEqualTo(Guard.MOST_COUNTS);
            clock.advance(Duration.ofSeconds(10));
            decided(guard.decide(Ask.charging(List.of(Demand.of(one, "new", 1).guardedBy(1)))));
            assertThat(guard.size()).isEqualTo(1);
        }
    }

    @Test
    void knowsNoMoreSettlementsThanItsBoundAndForgetsThoseOfAKey() {
        Limit many = Limit.named("many").fixedWindow(1_000_000, Duration.ofHours(1));
        try (LocalEngine store = new LocalEngine(clock)) {
            Guard guard = new Guard(store, clock);
            for (String key : List.of("k", "other")) {
                Ask ask = Ask.charging(List.of(Demand.of(many, key, 900_000).guardedBy(1)));
                Charge charge = decided(guard.decide(ask)).charges(ask).get(0);
                for (int i = 0; i < Guard.MOST_SETTLEMENTS - 10; i++) {
                    settle(guard, charge, "id" + i);
                }
                settle(guard, charge, "id0");
            }
            Ask unguarded = Ask.charging(List.of(Demand.of(many, "unguarded", 1)));
            settle(guard, decided(guard.decide(unguarded)).charges(unguarded).get(0), "id");
            assertThat(guard.settlements()).isEqualTo(Guard.MOST_SETTLEMENTS);
            long unused = guard.forget(new KeyMatch("other"::equals, List.of()));
            assertThat(guard.settlements()).as("those of the other key").isEqualTo(10);
        }
    }

    @Test
    void enlargesNoLimitToLessThanItIsOrMoreThanALimitCanHave() {
        List<Limit> large = new ArrayList<>(limits().toList());
        large.add(Limit.named("fast").tokenBucket(Rate.perSecond(1_000_000_000)).withBurst(Limit.MAX_CAPACITY));
        large.add(Limit.named("micro").tokenBucket(new Rate(1_000, Duration.of(1, ChronoUnit.MICROS))));
        large.add(Limit.named("none").tokenBucket(Rate.perSecond(0)));
        large.add(Limit.named("slots").leakyBucket(Rate.perSecond(1)).withCapacity(Limit.MAX_CAPACITY - 1));
        large.add(Limit.named("log").slidingLog(SlidingLog.MAX_LIMIT, Duration.ofDays(1)));
        for (Limit limit : large) {
            for (double times : new double[] {1, 1.2, 1_000}) {
                Limit more = EnlargedLimit.of(limit, times);
                assertThat(more.capacity()).isGreaterThanOrEqualTo(limit.capacity());
                assertThat(more.shape()).isEqualTo(limit.shape());
                assertThat(more.name()).isEqualTo(limit.name());
                assertThat(more.maxWaitMicros()).isEqualTo(limit.maxWaitMicros());
            }
            assertThat(EnlargedLimit.of(limit, 1)).isEqualTo(limit);
        }
        assertThat(EnlargedLimit.of(Limit.named("fw").fixedWindow(101, Duration.ofSeconds(3)), 1.2)
                        .capacity())
                .isEqualTo(122);
    }

    @Test
    void refusesGuardsBelowOne() {
        Demand demand = Demand.of(Limit.named("one").slidingLog(1, Duration.ofSeconds(10)), "k", 1);
        assertThatThrownBy(() -> demand.guardedBy(0.99)).hasMessage("guard: 0.99 (expected: at least 1)");
        assertThatThrownBy(() -> demand.guardedBy(Double.NaN)).hasMessage("guard: NaN (expected: at least 1)");
    }

    private static Ask randomAsk(Seeded random, double times) {
        List<Demand> demands = new ArrayList<>();
        for (Limit limit : limits().toList()) {
            if (random.oneIn(6)) {
                int permits = 1 + random.nextInt(4);
                Demand demand = Demand.of(limit, "k" + random.nextInt(2), permits);
                demand = random.oneIn(3) ? demand.orAtLeast(1L + random.nextInt(permits)) : demand;
                demand = random.oneIn(3) ? demand.waitingUpTo(random.nextInt(2_000_000)) : demand;
                demand = random.oneIn(4) ? demand.keeping(random.nextInt(4)) : demand;
                demands.add(random.oneIn(6) ? demand : demand.guardedBy(times));
            }
        }
        return demands.isEmpty() ? randomAsk(random, times) : Ask.charging(demands);
    }

    private static void give(Engine engine, List<Charge> charges, Seeded random) {
        if (!charges.isEmpty()) {
            engine.giveBack(List.of(charges.remove(random.nextInt(charges.size()))))
                    .toCompletableFuture()
                    .join();
        }
    }

    private static void settle(Engine engine, List<Charge> charges, String id, Seeded random) {
        charges.removeIf(charge -> charge.limit() instanceof LeakyBucket);
        if (!charges.isEmpty()) {
            Charge charge = charges.remove(random.nextInt(charges.size()));
            Settlement settlement = Settlement.of(charge, random.nextInt(6), id, Settlement.MAX_WITHIN_MICROS);
            assertThat(engine.settle(List.of(settlement)).toCompletableFuture().join())
                    .extracting(SettlementResult::kind)
                    .containsExactly(SettlementResult.Kind.SETTLED);
        }
    }

    private static void settle(Engine engine, Charge charge, String id) {
        var unused = engine.settle(
                        List.of(Settlement.of(charge, charge.permits() - 1, id, Settlement.MAX_WITHIN_MICROS)))
                .toCompletableFuture()
                .join();
    }

    private static EngineDecision decided(Object answer) {
        return (EngineDecision) answer;
    }
}
