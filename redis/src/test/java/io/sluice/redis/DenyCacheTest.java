package io.sluice.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.core.Limit;
import io.sluice.core.LocalEngine;
import io.sluice.core.Rate;
import io.sluice.core.spi.Ask;
import io.sluice.core.spi.Decided;
import io.sluice.core.spi.Demand;
import io.sluice.core.spi.Outcome;
import io.sluice.core.spi.Pending;
import io.sluice.core.time.ManualClock;
import io.sluice.testkit.UnreliableEngine;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

final class DenyCacheTest {

    private static final Limit TWO = Limit.named("two").slidingLog(2, Duration.ofMinutes(1));
    private static final Limit QUICK =
            Limit.named("quick").tokenBucket(Rate.perSecond(100)).withBurst(1);

    private final ManualClock clock = ManualClock.at(1_790_000_000_000_000L);
    private final UnreliableEngine behind = new UnreliableEngine(new LocalEngine(clock));
    private final DenyCache engine = new DenyCache(behind, clock);

    @Test
    void answersTheSameQuestionFromMemoryForAMoment() {
        for (int i = 0; i < 100; i++) {
            assertThat(decide(TWO, "k", 1).allowed()).isEqualTo(i < 2);
        }
        assertThat(behind.asked()).hasSize(3);
        clock.advance(DenyCache.MEMORY);
        assertThat(decide(TWO, "k", 1).allowed()).isFalse();
        assertThat(behind.asked()).hasSize(4);
    }

    @Test
    void namesTheTimeThatIsLeft() {
        decide(TWO, "k", 2);
        decide(TWO, "k", 1);
        clock.advance(Duration.ofMillis(30));
        Decided refused = decide(TWO, "k", 1);
        assertThat(behind.asked()).hasSize(2);
        assertThat(refused.verdicts().get(0).retryAfterMicros()).isEqualTo(59_970_000);
        assertThat(refused.verdicts().get(0).resetAfterMicros()).isEqualTo(59_970_000);
    }

    @Test
    void asksAgainAtTheMomentThatWasNamed() {
        decide(QUICK, "k", 1);
        assertThat(decide(QUICK, "k", 1).allowed()).isFalse();
        clock.advance(Duration.ofMillis(10).minusNanos(1));
        assertThat(decide(QUICK, "k", 1).allowed()).isFalse();
        clock.advance(Duration.ofNanos(1));
        assertThat(decide(QUICK, "k", 1).allowed()).isTrue();
    }

    @Test
    void doesNotTakeOtherQuestionsForTheSame() {
        decide(TWO, "k", 1);
        assertThat(decide(TWO, "k", 2).allowed()).isFalse();
        assertThat(decide(TWO, "k", 1).allowed()).isTrue();
        assertThat(decide(TWO, "l", 2).allowed()).isTrue();
        Limit raised = Limit.named("two").slidingLog(5, Duration.ofMinutes(1));
        assertThat(decide(TWO, "k", 1).allowed()).isFalse();
        assertThat(decide(raised, "k", 1).allowed()).isTrue();
    }

    @Test
    void forgetsWhenSomethingIsGivenBack() {
        Ask two = ask(TWO, "k", 2);
        Decided charged = decided(two);
        assertThat(decide(TWO, "k", 1).allowed()).isFalse();
        engine.giveBack(charged.charges(two)).toCompletableFuture().join();
        assertThat(decide(TWO, "k", 1).allowed()).isTrue();
    }

    @Test
    void looksPastIt() {
        decide(TWO, "k", 2);
        decide(TWO, "k", 1);
        int asked = behind.asked().size();
        decided(ask(TWO, "k", 1).looking());
        assertThat(behind.asked()).hasSize(asked + 1);
    }

    @Test
    void isBounded() {
        for (int i = 0; i < 25_000; i++) {
            decide(TWO, "flood" + i, 3);
        }
        decide(TWO, "k", 2);
        assertThat(decide(TWO, "k", 1).allowed()).isFalse();
    }

    private Decided decide(Limit limit, String key, long permits) {
        return decided(ask(limit, key, permits));
    }

    private static Ask ask(Limit limit, String key, long permits) {
        return Ask.charging(List.of(Demand.of(limit, key, permits)));
    }

    private Decided decided(Ask ask) {
        Object answer = engine.decide(ask);
        Outcome outcome = answer instanceof Pending pending
                ? pending.outcome().toCompletableFuture().join()
                : (Outcome) answer;
        return (Decided) outcome;
    }
}
