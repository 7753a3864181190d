package io.sluice.core.local;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.core.Limiter;
import io.sluice.core.decorator.Guard;
import io.sluice.core.limit.Limit;
import io.sluice.core.limit.Rate;
import io.sluice.core.spi.Ask;
import io.sluice.core.spi.Charge;
import io.sluice.core.spi.Demand;
import io.sluice.core.spi.EngineDecision;
import io.sluice.core.spi.KeyMatch;
import io.sluice.core.time.ManualClock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Counts of a subject that are dropped from memory. */
@Timeout(300)
class ForgettingTest {

    private static final Limit BUCKET =
            Limit.named("tb").tokenBucket(Rate.perSecond(1)).withBurst(5);
    private static final Limit WINDOW = Limit.named("fw").fixedWindow(5, Duration.ofHours(1));
    private static final Limit FLIGHT = Limit.named("cc").concurrency(1, Duration.ofMinutes(1));

    private final ManualClock clock = ManualClock.at(1_790_000_000_000_000L);
    private final LocalEngine engine = new LocalEngine(clock);

    private static KeyMatch of(String key) {
        return new KeyMatch(key::equals, Set.of(key));
    }

    private EngineDecision charge(Limit limit, String key, long permits) {
        return (EngineDecision) engine.decide(Ask.charging(List.of(Demand.of(limit, key, permits))));
    }

    private long left(Limit limit, String key) {
        EngineDecision seen = (EngineDecision)
                engine.decide(Ask.charging(List.of(Demand.of(limit, key, 1))).looking());
        return seen.verdicts().get(0).remaining();
    }

    @Test
    void dropsTheCountsOfOneKeyUnderEveryLimitAndNoOther() {
        for (int i = 0; i < 10_000; i++) {
            charge(BUCKET, "user=" + i, 3);
            charge(WINDOW, "user=" + i, 3);
        }
        assertThat(engine.forget(of("user=17"))).isEqualTo(2);
        assertThat(engine.keys()).isEqualTo(19_998);
        assertThat(left(BUCKET, "user=17")).isEqualTo(5);
        assertThat(left(WINDOW, "user=17")).isEqualTo(5);
        for (int i = 0; i < 10_000; i++) {
            assertThat(left(BUCKET, "user=" + i)).isEqualTo(i == 17 ? 5 : 2);
            assertThat(left(WINDOW, "user=" + i)).isEqualTo(i == 17 ? 5 : 2);
        }
        assertThat(engine.forget(of("user=17"))).isZero();
    }

    @Test
    void dropsAKeyThatIsKeptAsItsDigest() {
        String longKey = "user=" + "x".repeat(400);
        charge(BUCKET, longKey, 3);
        charge(BUCKET, longKey + "y", 3);
        assertThat(engine.forget(of(longKey))).isEqualTo(1);
        assertThat(left(BUCKET, longKey)).isEqualTo(5);
        assertThat(left(BUCKET, longKey + "y")).isEqualTo(2);
    }

    @Test
    void heldPermitsAreGoneWithTheirCount() {
        Demand held = Demand.of(FLIGHT, "user=17", 1).heldBy("h1");
        EngineDecision first = (EngineDecision) engine.decide(Ask.charging(List.of(held)));
        Charge charge = first.charges(Ask.charging(List.of(held))).get(0);
        assertThat(engine.forget(of("user=17"))).isEqualTo(1);
        Demand other = Demand.of(FLIGHT, "user=17", 1).heldBy("h2");
        assertThat(((EngineDecision) engine.decide(Ask.charging(List.of(other)))).allowed())
                .isTrue();
        assertThat(engine.renewNow(charge)).isFalse();
        assertThat(engine.giveBackNow(List.of(charge))).isFalse();
        assertThat(left(FLIGHT, "user=17")).isZero();
    }

    @Test
    void overflowCountsStay() {
        LocalEngine small = LocalEngine.builder().clock(clock).maxKeys(1).build();
        for (String key : List.of("a", "b", "c")) {
            assertThat(small.decide(Ask.charging(List.of(Demand.of(BUCKET, key, 1)))))
                    .isNotNull();
        }
        long keys = small.keys();
        assertThat(small.forget(new KeyMatch(key -> !key.equals("a"), Set.of())))
                .isZero();
        assertThat(small.keys()).isEqualTo(keys);
    }

    @Test
    void aGateGoesOnWithANewCount() {
        Gate gate = engine.gate(BUCKET, "user=17");
        assertThat(gate.tryPass(5)).isTrue();
        assertThat(gate.tryPass(1)).isFalse();
        assertThat(engine.forget(of("user=17"))).isEqualTo(1);
        assertThat(gate.tryPass(5)).isTrue();
        assertThat(gate.tryPass(1)).isFalse();
    }

    @Test
    void aLimiterAndItsGuardForget() {
        Guard guard = new Guard(engine, clock);
        Demand demand = Demand.of(WINDOW, "user=17", 5).guardedBy(1);
        try (Limiter limiter = new Limiter(guard, clock, List.of())) {
            assertThat(limiter.decide(Ask.charging(List.of(demand))).allowed()).isTrue();
            assertThat(limiter.decide(Ask.charging(List.of(demand))).allowed()).isFalse();
            assertThat(limiter.forget(of("user=17"))).isEqualTo(1);
            assertThat(limiter.decide(Ask.charging(List.of(demand))).allowed()).isTrue();
        }
    }

    /** Decisions run beside: no permit of another key is lost or doubled. */
    @Test
    void doesNoHarmToOthersWhileDecisionsRun() throws Exception {
        Limit exact = Limit.named("exact").fixedWindow(1_000_000, Duration.ofDays(300));
        Limit packed = Limit.named("packed").tokenBucket(Rate.perSecond(1)).withBurst(1_000_000);
        AtomicBoolean done = new AtomicBoolean();
        ExecutorService threads = Executors.newFixedThreadPool(3);
        List<Future<Long>> counted = new ArrayList<>();
        for (int thread = 0; thread < 2; thread++) {
            counted.add(threads.submit(() -> {
                long charged = 0;
                while (!done.get()) {
                    charge(exact, "user=17", 1);
                    charge(packed, "user=17", 1);
                    List<Demand> both = List.of(
                            Demand.of(exact, "user=18", 1),
                            Demand.of(packed, "user=18", 1),
                            Demand.of(exact, "user=17", 1));
                    charged += ((EngineDecision) engine.decide(Ask.charging(both))).allowed() ? 1 : 0;
                }
                return charged;
            }));
        }
        for (int i = 0; i < 2_000; i++) {
            assertThat(engine.forget(of("user=17"))).isBetween(0L, 2L);
        }
        done.set(true);
        long charged = 0;
        for (Future<Long> each : counted) {
            charged += each.get();
        }
        threads.shutdown();
        assertThat(threads.awaitTermination(5, TimeUnit.MINUTES)).isTrue();
        assertThat(left(exact, "user=18")).isEqualTo(Math.max(0, 1_000_000 - charged));
        assertThat(left(packed, "user=18")).isEqualTo(Math.max(0, 1_000_000 - charged));
        assertThat(engine.forget(new KeyMatch(key -> true, Set.of()))).isBetween(2L, 4L);
        assertThat(engine.keys()).isZero();
    }
}
