package io.sluice.core;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.core.limit.Limit;
import io.sluice.core.limit.Rate;
import io.sluice.core.limit.TokenBucket;
import io.sluice.core.local.LocalEngine;
import io.sluice.core.spi.Ask;
import io.sluice.core.spi.Demand;
import io.sluice.core.time.Clock;
import io.sluice.core.time.ManualClock;
import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** A decision on token buckets is made without an ask, and says the same as one that is made by an ask. */
final class BucketDecisionTest {

    private static final TokenBucket THREE =
            Limit.named("three").tokenBucket(Rate.perSecond(3)).withBurst(3);

    private final ManualClock clock = ManualClock.at(1_790_000_000_000_000L);
    private final LocalEngine engine =
            LocalEngine.builder().clock(clock).maxKeys(8).build();
    private final Limiter direct = new Limiter(engine, clock, List.of());
    private final Limiter byAsk =
            new Limiter(LocalEngine.builder().clock(clock).maxKeys(8).build(), clock, List.of());

    @Test
    void saysTheSameAsADecisionByAsk() {
        Seeded random = Seeded.random("saysTheSameAsADecisionByAsk");
        for (int step = 0; step < Seeded.scaled(3_000); step++) {
            TokenBucket limit = Limit.named("l" + random.nextInt(2))
                    .tokenBucket(new Rate(random.nextInt(4) * 7L, Duration.ofMillis(1 + random.nextInt(3_000))))
                    .withBurst(random.nextInt(9));
            // More keys than have a count of their own, one of them too long to be kept.
            String key = random.oneIn(20) ? "k".repeat(300) : "k" + random.nextInt(6);
            long permits = 1L + random.nextInt(9);

            Decision decision = direct.decide(random.oneIn(4) ? limit : THREE, key, permits);
            Decision expected = byAsk.decide(
                    List.of(Demand.of(decision.ask().demands().get(0).limit(), key, permits)));

            assertSame(decision, expected);
            if (random.oneIn(8)) {
                direct.giveBack(decision);
                byAsk.giveBack(expected);
            }
            clock.advance(Duration.ofNanos(random.nextInt(300_000_000)));
        }
    }

    @Test
    void saysTheSameOfSeveralBucketsAsADecisionByAsk() {
        TokenBucket five = Limit.named("five").tokenBucket(Rate.perSecond(1)).withBurst(5);
        List<Demand> both = List.of(Demand.of(five, "k", 1), Demand.of(THREE, "k", 2));
        for (int step = 0; step < 20; step++) {
            assertSame(direct.decide(both), byAsk.decide(Ask.charging(both)));
            clock.advance(Duration.ofMillis(100));
        }
    }

    @Test
    void refusesTwoDemandsForTheSameCount() {
        List<Demand> twice = List.of(Demand.of(THREE, "k", 1), Demand.of(THREE, "k", 1));
        direct.decide(THREE, "k", 1);
        assertThatThrownBy(() -> direct.decide(twice)).hasMessageStartingWith("demands[1]: three");
        assertThat(direct.decide(THREE, "k", 1).remaining()).isEqualTo(1);
    }

    @Test
    void keepsTheDemandsThatWereDecided() {
        List<Demand> demands = new ArrayList<>(List.of(Demand.of(THREE, "a", 1), Demand.of(THREE, "b", 1)));
        direct.decide(demands);
        Decision decision = direct.decide(demands);
        demands.clear();
        assertThat(decision.ask().demands()).hasSize(2);
        assertThat(decision.remaining()).isEqualTo(1);
    }

    @Test
    void givesLaterSlotsOfALimitThatHasThem() {
        TokenBucket patient = THREE.withMaxWait(Duration.ofSeconds(1));
        direct.decide(patient, "k", 3);
        assertThat(direct.decide(patient, "k", 3).waitFor()).isEqualTo(Duration.ofSeconds(1));
    }

    @Test
    void refusesToAskForNothing() {
        assertThatThrownBy(() -> direct.decide(THREE, "k", 0)).hasMessage("permits: 0 (expected: 1..1000000000)");
    }

    @Test
    void failsOnceTheEngineIsClosed() {
        direct.decide(THREE, "k", 1);
        engine.close();
        assertThat(direct.decide(THREE, "k", 1).degraded()).isEqualTo("closed");
    }

    @Test
    void notifiesListeners() {
        List<Decision> heard = new ArrayList<>();
        Limiter limiter = new Limiter(engine, clock, List.of((decision, nanos) -> heard.add(decision)));
        Decision decision = limiter.decide(THREE, "k", 1);
        assertThat(heard).containsExactly(decision);
    }

    /** The bound is wide: a decision takes 48 bytes, and one with its ask and verdict about 300. */
    @Test
    void allocatesLittle() {
        com.sun.management.ThreadMXBean threads = (com.sun.management.ThreadMXBean) ManagementFactory.getThreadMXBean();
        Limiter limiter = new Limiter(new LocalEngine(Clock.system()), Clock.system(), List.of());
        long me = Thread.currentThread().getId();
        int decisions = 20_000;
        long allowed = 0;
        long before = 0;
        for (int i = -100; i < decisions; i++) {
            before = i == 0 ? threads.getThreadAllocatedBytes(me) : before;
            allowed += limiter.decide(THREE, "k", 1).allowed() ? 1 : 0;
        }
        assertThat(allowed).isPositive();
        assertThat((threads.getThreadAllocatedBytes(me) - before) / decisions).isLessThan(150);
    }

    private static void assertSame(Decision decision, Decision expected) {
        assertThat(decision.allowed()).isEqualTo(expected.allowed());
        assertThat(decision.limit()).isEqualTo(expected.limit());
        assertThat(decision.label()).isEqualTo(expected.label());
        assertThat(decision.remaining()).isEqualTo(expected.remaining());
        assertThat(decision.retryAfter()).isEqualTo(expected.retryAfter());
        assertThat(decision.resetAfter()).isEqualTo(expected.resetAfter());
        assertThat(decision.waitFor()).isEqualTo(expected.waitFor());
        assertThat(decision.degraded()).isNull();
        assertThat(decision.ask()).isEqualTo(expected.ask());
        assertThat(decision.outcome()).isEqualTo(expected.outcome());
        assertThat(decision).hasToString(expected.toString());
    }
}
