package io.sluice.core;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.core.limit.Concurrency;
import io.sluice.core.limit.Limit;
import io.sluice.core.limit.Rate;
import io.sluice.core.local.LocalEngine;
import io.sluice.core.time.ManualClock;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class LimitedCallTest {

    private static final Limit TWO = Limit.named("two").slidingLog(2, Duration.ofMinutes(1));
    private static final Limit MANY = Limit.named("many").slidingLog(100, Duration.ofMinutes(1));
    private static final Concurrency ONE_AT_A_TIME = Limit.named("one").concurrency(1, Duration.ofMinutes(1));

    private final ManualClock clock = new ManualClock();
    private final Limiter limiter = new Limiter(new LocalEngine(clock), clock, List.of());
    private final AtomicInteger calls = new AtomicInteger();

    /** Tasks that were handed to the executor and have not run yet. */
    private final List<Runnable> handedOver = new ArrayList<>();

    @Test
    void decidesForOnePermit() {
        assertThat(limiter.decide(TWO, "a").allowed()).isTrue();
        assertThat(limiter.decide(TWO, "a").remaining()).isZero();
        assertThat(limiter.decide(TWO, "a").allowed()).isFalse();
        assertThat(limiter.decide(TWO, "b").allowed()).isTrue();
    }

    @Test
    void triesWithoutWaiting() {
        assertThat(limiter.tryAcquire(TWO, "a")).isTrue();
        assertThat(limiter.tryAcquire(TWO, "a")).isTrue();
        assertThat(limiter.tryAcquire(TWO, "a")).isFalse();
        assertThat(limiter.tryAcquire(TWO)).isTrue();

        Limit paced = Limit.named("paced")
                .leakyBucket(Rate.perSecond(1))
                .withCapacity(5)
                .withMaxWait(Duration.ofSeconds(9));
        assertThat(limiter.decide(paced, "a").allowed()).isTrue();
        assertThat(limiter.tryAcquire(paced, "a")).isFalse();
        assertThat(limiter.decide(paced, "a").waitFor()).isEqualTo(Duration.ofSeconds(1));
    }

    @Test
    void doesNotTryForAPermitThatNothingWouldReturn() {
        assertThatThrownBy(() -> limiter.tryAcquire(ONE_AT_A_TIME, "a"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("expected: run or hold");
        assertThat(limiter.look(KeyedLimits.of(ONE_AT_A_TIME, "a")).allowed()).isTrue();
    }

    @Test
    void holdsOrThrows() {
        try (Hold first = limiter.hold(ONE_AT_A_TIME, "a", 1).orElseThrow()) {
            assertThat(first.allowed()).isTrue();
            assertThatThrownBy(() -> limiter.hold(ONE_AT_A_TIME, "a", 1).orElseThrow())
                    .isInstanceOf(LimitExceededException.class);
        }
    }

    @Test
    void needsNoExecutor() {
        assertThat(limiter.decideAsync(TWO, "a")).isCompletedWithValueMatching(Decision::allowed);
        assertThat(limiter.decideAsync(KeyedLimits.of(TWO, "a"))).isCompletedWithValueMatching(Decision::allowed);
        assertThat(limiter.acquireAsync(KeyedLimits.of(TWO, "a"), Duration.ZERO))
                .isCompletedWithValueMatching(decision -> !decision.allowed());
        assertThat(limiter.runAsync(TWO, "b", Duration.ZERO, () -> CompletableFuture.completedFuture("done")))
                .isCompletedWithValue("done");
    }

    @Test
    void decidesSeveralLimitsAllOrNothing() {
        KeyedLimits both = KeyedLimits.of(TWO, "a").and(MANY, "t", 60);

        assertThat(limiter.decide(both).allowed()).isTrue();
        assertThat(limiter.decide(both).allowed()).isFalse();
        assertThat(limiter.look(KeyedLimits.of(TWO, "a")).remaining()).isEqualTo(1);
        assertThat(limiter.look(KeyedLimits.of(MANY, "t")).remaining()).isEqualTo(40);
    }

    @Test
    void makesACallThatPassesAndReturnsWhatItReturns() {
        assertThat(limiter.run(TWO, "a", calls::incrementAndGet)).isEqualTo(1);
        limiter.run(TWO, "a", () -> {
            calls.incrementAndGet();
        });
        assertThat(calls).hasValue(2);
    }

    @Test
    void makesNoCallThatIsRefusedAndSaysWhy() {
        limiter.decide(TWO, "a", 2);

        assertThatExceptionOfType(LimitExceededException.class)
                .isThrownBy(() -> limiter.run(TWO, "a", calls::incrementAndGet))
                .satisfies(refused -> {
                    assertThat(refused.decision().limit()).isEqualTo(TWO);
                    assertThat(refused.decision().retryAfter()).contains(Duration.ofMinutes(1));
                    assertThat(refused).hasMessageContaining("retry after 1m");
                });
        assertThat(calls).hasValue(0);
    }

    @Test
    void passesOnWhatTheCallThrowsAndGivesItsPermitBack() {
        assertThatThrownBy(() -> limiter.call(ONE_AT_A_TIME, "a", () -> {
                    assertThat(limiter.decide(ONE_AT_A_TIME, "a").allowed()).isFalse();
                    throw new IOException("disk");
                }))
                .isInstanceOf(IOException.class);
        assertThat(limiter.decide(ONE_AT_A_TIME, "a").allowed()).isTrue();
    }

    @Test
    void neverWaitsWithoutAMaxWait() {
        Limit drip = Limit.named("drip").leakyBucket(Rate.perSecond(1)).withCapacity(5);

        assertThat(limiter.run(drip, "a", calls::incrementAndGet)).isEqualTo(1);
        assertThatThrownBy(() -> limiter.run(drip, "a", calls::incrementAndGet))
                .isInstanceOf(LimitExceededException.class);
        assertThat(calls).hasValue(1);
    }

    @Test
    void waitsForItsMomentWithoutAThreadAndStartsOnTheExecutor() {
        limiter.decide(TWO, "a", 2);
        CompletableFuture<String> answer = new CompletableFuture<>();

        CompletableFuture<String> result =
                limiter.runAsync(TWO, "a", Duration.ofMinutes(2), () -> started(answer), handedOver::add);
        clock.advance(Duration.ofMinutes(1));
        assertThat(calls).as("still with the executor").hasValue(0);
        runHandedOver();
        assertThat(calls).hasValue(1);
        assertThat(result).isNotDone();
        answer.complete("done");

        assertThat(result).isCompletedWithValue("done");
    }

    @Test
    void failsWithTheDecisionWhereTheMomentDoesNotCome() {
        limiter.decide(TWO, "a", 2);

        CompletableFuture<String> result =
                limiter.runAsync(TWO, "a", Duration.ZERO, () -> started(new CompletableFuture<>()), handedOver::add);
        runHandedOver();

        assertThatThrownBy(result::join)
                .isInstanceOf(CompletionException.class)
                .hasCauseInstanceOf(LimitExceededException.class);
        assertThat(calls).hasValue(0);
    }

    @Test
    void givesUpTheWaitThatIsCancelled() {
        limiter.decide(TWO, "a", 2);
        CompletableFuture<String> result = limiter.runAsync(
                TWO, "a", Duration.ofMinutes(2), () -> started(new CompletableFuture<>()), handedOver::add);

        result.cancel(false);
        clock.advance(Duration.ofMinutes(1));
        runHandedOver();

        assertThat(calls).hasValue(0);
        assertThat(limiter.look(KeyedLimits.of(TWO, "a")).remaining()).isEqualTo(2);
    }

    @Test
    void givesBackAPermitThatComesTooLateForACancelledCall() {
        CompletableFuture<String> result = limiter.runAsync(
                ONE_AT_A_TIME, "a", Duration.ZERO, () -> started(new CompletableFuture<>()), handedOver::add);

        result.cancel(false);
        runHandedOver();

        assertThat(calls).hasValue(0);
        assertThat(limiter.decide(ONE_AT_A_TIME, "a").allowed()).isTrue();
    }

    @Test
    void holdsPermitsUntilTheStageOfTheCallCompletes() {
        CompletableFuture<String> answer = new CompletableFuture<>();
        CompletableFuture<String> result =
                limiter.runAsync(ONE_AT_A_TIME, "a", Duration.ZERO, () -> started(answer), Runnable::run);

        assertThat(limiter.decide(ONE_AT_A_TIME, "a").allowed()).isFalse();
        answer.completeExceptionally(new IOException("gone"));

        assertThat(result).isCompletedExceptionally();
        assertThat(limiter.decide(ONE_AT_A_TIME, "a").allowed()).isTrue();
    }

    @Test
    void completesFuturesOnTheExecutor() {
        limiter.decide(TWO, "a", 2);
        CompletableFuture<Decision> decided = limiter.decideAsync(KeyedLimits.of(TWO, "a"), handedOver::add);
        CompletableFuture<Decision> acquired =
                limiter.acquireAsync(KeyedLimits.of(TWO, "a"), Duration.ofMinutes(2), handedOver::add);
        CompletableFuture<Hold> held = limiter.holdAsync(ONE_AT_A_TIME, "a", 1, Duration.ofMinutes(2), handedOver::add);
        clock.advance(Duration.ofMinutes(1));
        assertThat(List.of(decided, acquired, held)).noneMatch(CompletableFuture::isDone);

        runHandedOver();

        assertThat(decided.join().allowed()).isFalse();
        assertThat(acquired.join().allowed()).isTrue();
        assertThat(held.join().allowed()).isTrue();
    }

    @Test
    void returnsPermitsIfTheCallerLeavesBeforeTheAnswer() {
        CompletableFuture<Hold> held = limiter.holdAsync(ONE_AT_A_TIME, "a", 1, Duration.ofMinutes(2), handedOver::add);

        held.cancel(false);
        runHandedOver();

        assertThat(limiter.decide(ONE_AT_A_TIME, "a").allowed()).isTrue();
    }

    private CompletableFuture<String> started(CompletableFuture<String> answer) {
        calls.incrementAndGet();
        return answer;
    }

    private void runHandedOver() {
        List<Runnable> tasks = List.copyOf(handedOver);
        handedOver.clear();
        tasks.forEach(Runnable::run);
    }
}
