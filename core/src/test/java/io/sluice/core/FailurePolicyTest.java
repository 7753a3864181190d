package io.sluice.core;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.core.limit.Limit;
import io.sluice.core.spi.Answer;
import io.sluice.core.spi.Ask;
import io.sluice.core.spi.Charge;
import io.sluice.core.spi.Engine;
import io.sluice.core.spi.EngineFailure;
import io.sluice.core.spi.FailurePolicy;
import io.sluice.core.time.ManualClock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.Test;

/** The deadline and the failure policy of a limiter, and those of single decisions. */
class FailurePolicyTest {

    private static final Limit LIMIT = Limit.named("l").fixedWindow(10, Duration.ofHours(1));

    private final ManualClock clock = ManualClock.at(1_700_000_000_000_000L);
    private final List<Ask> asked = new ArrayList<>();

    @Test
    void theLimiterHasDefaults() {
        Limiter closed = limiter(Duration.ofMillis(7), FailurePolicy.CLOSED);

        assertThat(closed.tryAcquire(LIMIT, "k")).isFalse();
        assertThat(closed.decide(KeyedLimits.of(LIMIT, "k")).degraded()).isEqualTo("gone");
        assertThat(asked).hasSize(2).allSatisfy(ask -> {
            assertThat(ask.deadlineNanos() - clock.nanoTime()).isEqualTo(7_000_000);
            assertThat(ask.onFailure()).isEqualTo(FailurePolicy.CLOSED);
        });
        assertThat(limiter(Duration.ofMillis(7), FailurePolicy.OPEN).tryAcquire(LIMIT))
                .isTrue();
    }

    @Test
    void aDecisionHasItsOwn() {
        Limiter closed = limiter(Duration.ofMillis(7), FailurePolicy.CLOSED);
        KeyedLimits open = KeyedLimits.of(LIMIT, "k")
                .within(Duration.ofSeconds(3))
                .onFailure(FailurePolicy.OPEN)
                .and(LIMIT, "other");

        assertThat(closed.decide(open).allowed()).isTrue();
        assertThat(closed.look(open).allowed()).isTrue();
        assertThat(closed.decideAsync(open)).isCompletedWithValueMatching(Decision::allowed);
        assertThat(closed.acquireAsync(open, Duration.ZERO)).isCompletedWithValueMatching(Decision::allowed);
        assertThat(closed.run(open, () -> "made")).isEqualTo("made");
        assertThat(asked).hasSize(5).allSatisfy(ask -> assertThat(ask.deadlineNanos() - clock.nanoTime())
                .isEqualTo(3_000_000_000L));
    }

    @Test
    void aDeadlineIsAtMostAThousandDays() {
        assertThatThrownBy(() -> limiter(Duration.ofDays(1_001), FailurePolicy.OPEN))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("deadline");
    }

    private Limiter limiter(Duration deadline, FailurePolicy onFailure) {
        return new Limiter(new Gone(), clock, List.of(), deadline, onFailure);
    }

    private final class Gone implements Engine {
        @Override
        public String name() {
            return "gone";
        }

        @Override
        public Answer decide(Ask ask) {
            asked.add(ask);
            return new EngineFailure("gone", false);
        }

        @Override
        public CompletionStage<Boolean> giveBack(List<Charge> charges) {
            return CompletableFuture.completedFuture(false);
        }

        @Override
        public CompletionStage<Boolean> renew(Charge charge) {
            return CompletableFuture.completedFuture(false);
        }

        @Override
        public void close() {}
    }
}
