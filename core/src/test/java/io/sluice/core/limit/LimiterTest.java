package io.sluice.core.limit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.core.Decision;
import io.sluice.core.DecisionListener;
import io.sluice.core.Limiter;
import io.sluice.core.SilencedLog;
import io.sluice.core.local.LocalEngine;
import io.sluice.core.spi.Ask;
import io.sluice.core.spi.Demand;
import io.sluice.core.spi.FailurePolicy;
import io.sluice.core.time.ManualClock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

final class LimiterTest {

    @RegisterExtension
    static final SilencedLog PROVOKED = SilencedLog.of(Limiter.class);

    private static final TokenBucket TEN = Limit.named("ten").tokenBucket(Rate.perSecond(10));
    private static final Limit FIVE = Limit.named("five").slidingLog(5, Duration.ofMinutes(1));

    private final ManualClock clock = ManualClock.at(1_790_000_000_000_000L);
    private final LocalEngine engine = new LocalEngine(clock);
    private final Limiter limiter = new Limiter(engine, clock, List.of());

    @Test
    void reportsTheLimitWithTheLeastRemainingWhenAllowed() {
        Decision decision = limiter.decide(List.of(Demand.of(TEN, "k", 3), Demand.of(FIVE, "k", 1)));
        assertThat(decision.allowed()).isTrue();
        assertThat(decision.limit()).isEqualTo(FIVE);
        assertThat(decision.remaining()).isEqualTo(4);
        assertThat(decision.retryAfter()).contains(Duration.ZERO);
        assertThat(decision.resetAfter()).contains(Duration.ofMinutes(1));
        assertThat(decision).hasToString("allowed by five (sliding_log 5 per 1m): 4 remaining");
    }

    @Test
    void reportsTheFirstOfEqualsWhenAllowed() {
        Limit alsoTen = Limit.named("also-ten").tokenBucket(Rate.perSecond(10));
        assertThat(limiter.decide(List.of(Demand.of(TEN, "k", 1), Demand.of(alsoTen, "k", 1)))
                        .limit())
                .isEqualTo(TEN);
    }

    @Test
    void reportsTheFirstRefusingLimitAndTheLongestWait() {
        limiter.decide(List.of(Demand.of(TEN, "k", 10), Demand.of(FIVE, "k", 5)));
        Decision decision = limiter.decide(List.of(Demand.of(TEN, "k", 1), Demand.of(FIVE, "k", 1)));
        assertThat(decision.allowed()).isFalse();
        assertThat(decision.limit()).isEqualTo(TEN);
        assertThat(decision.retryAfter()).contains(Duration.ofMinutes(1));
        assertThat(decision)
                .hasToString(
                        "refused by ten (token_bucket 10/s, burst 10): 0 remaining, retry after 1m because of " + FIVE);
        Decision hopeless = limiter.decide(List.of(Demand.of(TEN, "k", 1), Demand.of(FIVE, "k", 6)));
        assertThat(hopeless.retryAfter()).isEmpty();
        assertThat(hopeless.toString()).endsWith("0 remaining, waiting will not help because of " + FIVE);
    }

    @Test
    void looksWithoutCharging() {
        assertThat(limiter.look(List.of(Demand.of(FIVE, "k", 5))).allowed()).isTrue();
        assertThat(limiter.look(List.of(Demand.of(FIVE, "k", 5), Demand.of(TEN, "k", 11)))
                        .allowed())
                .isFalse();
        assertThat(engine.keys()).isZero();
        assertThat(limiter.decide(FIVE, "k", 5).allowed()).isTrue();
        assertThat(limiter.look(List.of(Demand.of(FIVE, "k", 1))).allowed()).isFalse();
    }

    @Test
    void givesBackWhatADecisionCharged() {
        Decision decision = limiter.decide(List.of(Demand.of(TEN, "k", 7), Demand.of(FIVE, "k", 5)));
        limiter.giveBack(decision).toCompletableFuture().join();
        assertThat(limiter.decide(List.of(Demand.of(TEN, "k", 10), Demand.of(FIVE, "k", 5)))
                        .allowed())
                .isTrue();
    }

    @Test
    void tellsHowLongToWaitForAReservedSlot() {
        limiter.decide(TEN, "k", 10);
        Decision decision = limiter.decide(List.of(Demand.of(TEN, "k", 2).waitingUpTo(1_000_000)));
        assertThat(decision.allowed()).isTrue();
        assertThat(decision.waitFor()).isEqualTo(Duration.ofMillis(200));
    }

    @Test
    void aBucketWithAWaitHandsOutItsPermitsInAdvance() {
        TokenBucket patient = TEN.withMaxWait(Duration.ofMillis(200));
        limiter.decide(patient, "k", 10);
        assertThat(limiter.decide(patient, "k", 2).waitFor()).isEqualTo(Duration.ofMillis(200));
        assertThat(limiter.decide(patient, "k", 1).allowed()).isFalse();
        assertThat(engine.gate(patient, "j").tryPass(10)).isTrue();
        assertThat(engine.gate(patient, "j").pass(2).waitMicros()).isEqualTo(200_000);
    }

    @Test
    void allowsWhenNoLimitApplies() {
        Decision decision = limiter.decide(List.of());
        assertThat(decision.allowed()).isTrue();
        assertThat(decision.limit()).isNull();
        assertThat(decision).hasToString("allowed: no limit applies");
    }

    @Test
    void refusesAsksThatNameOneCountTwice() {
        assertThatThrownBy(() -> limiter.decide(List.of(Demand.of(TEN, "k", 1), Demand.of(TEN, "k", 2))))
                .hasMessage("demands[1]: ten (token_bucket 10/s, burst 10) (expected: a name, shape or key that"
                        + " differs from demands[0])");
    }

    @Test
    void refusesInvalidNumbersOfPermits() {
        assertThatThrownBy(() -> limiter.decide(TEN, "k", 0)).hasMessage("permits: 0 (expected: 1..1000000000)");
        assertThatThrownBy(() -> limiter.decide(TEN, "k", -5)).hasMessageContaining("permits: -5");
        assertThatThrownBy(() -> limiter.decide(TEN, "k", Long.MAX_VALUE)).hasMessageContaining("permits: 92233720");
    }

    @Test
    void notifiesListenersAndSurvivesThoseThatThrow() {
        List<Boolean> heard = new ArrayList<>();
        DecisionListener broken = (decision, nanos) -> {
            throw new IllegalStateException("broken listener, as the test wants it");
        };
        Limiter loud = new Limiter(engine, clock, List.of(broken, (decision, nanos) -> heard.add(decision.allowed())));
        loud.decide(FIVE, "k", 5);
        loud.decideAsync(Ask.charging(List.of(Demand.of(FIVE, "k", 1))))
                .toCompletableFuture()
                .join();
        assertThat(heard).containsExactly(true, false);
    }

    @Test
    void isDegradedAndNeverThrowsOnceClosed() {
        limiter.close();
        Decision decision = limiter.decide(TEN, "k", 1);
        assertThat(decision.allowed()).isFalse();
        assertThat(decision.degraded()).isEqualTo("closed");
        Ask open = Ask.charging(List.of(Demand.of(TEN, "k", 1))).onFailure(FailurePolicy.OPEN, 1);
        assertThat(limiter.decide(open).allowed()).isTrue();
    }

    @Test
    void forgetsCountsThatEqualNeverSeen() {
        for (int i = 0; i < 10_000; i++) {
            limiter.decide(TEN, "early" + i, 1);
        }
        assertThat(engine.keys()).isEqualTo(10_000);
        clock.advance(Duration.ofMinutes(2));
        for (int i = 0; i < 10_001; i++) {
            limiter.decide(FIVE, "late" + i, 1);
        }
        assertThat(engine.keys()).isLessThan(16_000);
        assertThat(limiter.look(List.of(Demand.of(FIVE, "late0", 1))).remaining())
                .isEqualTo(4);
    }
}
