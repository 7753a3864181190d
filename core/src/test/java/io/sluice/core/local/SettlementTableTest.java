package io.sluice.core.local;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.core.limit.Limit;
import io.sluice.core.limit.Rate;
import io.sluice.core.spi.Ask;
import io.sluice.core.spi.Demand;
import io.sluice.core.spi.EngineDecision;
import io.sluice.core.spi.KeyMatch;
import io.sluice.core.spi.Settlement;
import io.sluice.core.spi.SettlementResult;
import io.sluice.core.spi.SettlementResult.Kind;
import io.sluice.core.spi.Verdict;
import io.sluice.core.time.ManualClock;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The in-process engine remembers settlements: each once, not more than fit, and no longer than they can be repeated. */
final class SettlementTableTest {

    private static final long NOW = 1_790_000_000_000_000L;
    private static final Limit LIMIT =
            Limit.named("x").tokenBucket(Rate.perDay(1_000_000)).withBurst(1_000_000);

    private final ManualClock clock = ManualClock.at(NOW);

    @Test
    void reservationsStandIfThereIsNoRoomToRememberTheirSettlement() {
        LocalEngine engine = LocalEngine.builder().clock(clock).maxKeys(100).build();
        for (int i = 0; i < 100; i++) {
            assertThat(settle(engine, "id" + i).kind()).isEqualTo(Kind.SETTLED);
        }
        assertThat(settle(engine, "one more")).isEqualTo(SettlementResult.UNKNOWN);
        assertThat(settle(engine, "id5")).isEqualTo(new SettlementResult(Kind.REPEATED, 1));
        assertThat(remaining(engine)).isEqualTo(1_000_000 - 100);
        assertThat(engine.settlements()).isEqualTo(100);
    }

    @Test
    void settlementsThatCanNoLongerBeRepeatedMakeRoom() {
        LocalEngine engine = LocalEngine.builder().clock(clock).maxKeys(100).build();
        for (int i = 0; i < 1_000; i++) {
            clock.advance(Duration.ofMillis(100));
            assertThat(settle(engine, "id" + i).kind()).as("settlement %d", i).isEqualTo(Kind.SETTLED);
        }
        assertThat(engine.settlements()).isLessThanOrEqualTo(100);
    }

    @Test
    void aSettlementIsRememberedUpToTheLastMomentInWhichItCanBeRepeated() {
        LocalEngine engine = new LocalEngine(clock);
        Settlement settlement = new Settlement(LIMIT, "k", 0, 1, NOW, "id", 1_000_000);
        assertThat(engine.settleNow(List.of(settlement))).containsExactly(new SettlementResult(Kind.SETTLED, 1));
        clock.advance(Duration.ofSeconds(1));
        for (int i = 0; i < 3; i++) {
            assertThat(engine.settleNow(List.of(settlement))).containsExactly(new SettlementResult(Kind.REPEATED, 1));
        }
        clock.advance(Duration.ofMillis(1));
        assertThat(engine.settleNow(List.of(settlement))).containsExactly(SettlementResult.UNKNOWN);
    }

    @Test
    void forgetsTheSettlementsOfAKeyWithTheKey() {
        LocalEngine engine = new LocalEngine(clock);
        assertThat(settle(engine, "id").kind()).isEqualTo(Kind.SETTLED);
        assertThat(engine.forget(new KeyMatch("k"::equals, List.of("k")))).isEqualTo(1);
        assertThat(engine.settlements()).isZero();
    }

    @Test
    void aDebtThatDoesNotFitIntoAWordIsCountedExactly() {
        Limit slow = Limit.named("slow")
                .tokenBucket(new Rate(1, Duration.ofDays(1_000)))
                .withBurst(20_000);
        LocalEngine engine = new LocalEngine(clock);
        Ask one = Ask.charging(List.of(Demand.of(slow, "k", 1)));
        assertThat(((EngineDecision) engine.decide(one)).allowed()).isTrue();
        Gate gate = engine.gate(slow, "k");
        assertThat(gate.tryPass(1)).isTrue();
        Settlement debt = new Settlement(slow, "k", 1, 1_000_000_000, NOW, "id", 1_000_000);
        assertThat(engine.settleNow(List.of(debt))).containsExactly(new SettlementResult(Kind.SETTLED, 999_999_999));
        assertThat(gate.tryPass(1)).isFalse();
        Settlement all = new Settlement(slow, "k", 1_000_000_000, 0, NOW, "back", 1_000_000);
        assertThat(engine.settleNow(List.of(all)).get(0).givenBack()).isEqualTo(1_000_000_000);
        assertThat(gate.pass(19_999).fits()).isTrue();
        assertThat(gate.tryPass(1)).isFalse();
    }

    private SettlementResult settle(LocalEngine engine, String id) {
        Settlement settlement = new Settlement(LIMIT, "k", 0, 1, clock.epochMicros(), id, 1_000_000);
        return engine.settleNow(List.of(settlement)).get(0);
    }

    private static long remaining(LocalEngine engine) {
        Ask look = Ask.charging(List.of(Demand.of(LIMIT, "k", 1))).looking();
        Verdict verdict = ((EngineDecision) engine.decide(look)).verdicts().get(0);
        return verdict.remaining();
    }
}
