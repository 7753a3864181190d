package io.sluice.testkit.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.core.Decision;
import io.sluice.core.Hold;
import io.sluice.core.Limiter;
import io.sluice.core.limit.Concurrency;
import io.sluice.core.limit.Limit;
import io.sluice.core.limit.Rate;
import io.sluice.core.local.LocalEngine;
import io.sluice.core.spi.Ask;
import io.sluice.core.spi.Demand;
import io.sluice.core.spi.EngineDecision;
import io.sluice.core.spi.FailurePolicy;
import io.sluice.core.time.ManualClock;
import io.sluice.testkit.QuietClock;
import io.sluice.testkit.engine.UnreliableEngine.Mood;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeoutException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

final class WaitingOverUnreliableEngineTest {

    private static final Duration DEADLINE = Limiter.DEFAULT_DEADLINE;
    private static final Duration SECOND = Duration.ofSeconds(1);
    private static final Concurrency TWO = Limit.named("two").concurrency(2, Duration.ofMinutes(1));
    private static final Limit BUCKET =
            Limit.named("bucket").tokenBucket(Rate.perSecond(10)).withBurst(1);
    private static final Limit WINDOW = Limit.named("window").fixedWindow(2, SECOND);

    private final ManualClock clock = QuietClock.at(1_790_000_000_000_000L);
    private final LocalEngine counts = new LocalEngine(clock);
    private final UnreliableEngine unreliable = new UnreliableEngine(counts);
    private final Limiter limiter = new Limiter(unreliable, clock, List.of());

    @ParameterizedTest
    @EnumSource(Mood.class)
    void answersInTimeWhateverTheEngineDoes(Mood mood) {
        unreliable.setMood(mood);
        List<CompletableFuture<Decision>> waits = new ArrayList<>();
        for (FailurePolicy policy : FailurePolicy.values()) {
            for (Limit limit : List.of(TWO, BUCKET, WINDOW)) {
                for (int i = 0; i < 20; i++) {
                    waits.add(acquire(limit, policy.name(), policy, SECOND.multipliedBy(3)));
                }
            }
        }
        for (int i = 0; i < 302; i++) {
            clock.advance(Duration.ofMillis(10));
            unreliable.deliver();
        }
        assertThat(waits).allMatch(CompletableFuture::isDone).noneMatch(CompletableFuture::isCompletedExceptionally);
    }

    @Test
    void anEngineThatIsSilentIsAnsweredForAtMaxWaitAndTheDeadline() {
        unreliable.setMood(Mood.LOSES_QUESTION);
        CompletableFuture<Decision> closed = acquire(TWO, "k", FailurePolicy.CLOSED, SECOND);
        CompletableFuture<Decision> behind = acquire(TWO, "k", FailurePolicy.CLOSED, SECOND);
        CompletableFuture<Decision> open = acquire(TWO, "open", FailurePolicy.OPEN, SECOND);
        clock.advance(DEADLINE);
        assertThat(open).isCompletedWithValueMatching(Decision::allowed);
        assertThat(closed).isNotDone();
        clock.advance(SECOND.minusNanos(1));
        assertThat(closed).isNotDone();
        clock.advance(Duration.ofNanos(1));
        assertThat(closed)
                .isCompletedWithValueMatching(
                        decision -> !decision.allowed() && "unreliable-timeout".equals(decision.degraded()));
        assertThat(behind).isCompletedWithValueMatching(decision -> !decision.allowed());
    }

    @Test
    void ridesOutAFailureWithinItsWaitAndHoldsOnlyWhatItWasGranted() {
        unreliable.setMood(Mood.LOSES_ANSWER);
        CompletableFuture<Decision> wait = acquire(TWO, "k", FailurePolicy.CLOSED, SECOND.multipliedBy(5));
        assertThat(inFlight()).isEqualTo(1);
        clock.advance(DEADLINE);
        assertThat(inFlight()).isZero();
        unreliable.setMood(Mood.ANSWERS);
        clock.advance(SECOND);
        assertThat(wait).isCompletedWithValueMatching(Decision::allowed);
        assertThat(wait.join().degraded()).isNull();
        assertThat(inFlight()).isEqualTo(1);
        limiter.hold(wait.join()).close();
        assertThat(inFlight()).isZero();
    }

    @Test
    void aLateAnswerToAnEarlierAskTakesNothingFromTheLaterOne() {
        unreliable.setMood(Mood.LATE);
        CompletableFuture<Decision> wait = acquire(TWO, "k", FailurePolicy.CLOSED, SECOND.multipliedBy(5));
        clock.advance(DEADLINE);
        unreliable.setMood(Mood.ANSWERS);
        clock.advance(SECOND);
        assertThat(wait).isCompletedWithValueMatching(Decision::allowed);
        unreliable.deliver();
        assertThat(inFlight()).isEqualTo(1);
    }

    @Test
    void givesBackWhatWasGrantedToACallerThatLeft() {
        for (Limit limit : List.of(TWO, WINDOW)) {
            unreliable.setMood(Mood.LATE);
            CompletableFuture<Decision> wait = limiter.acquireAsync(limit, "k", 2, SECOND);
            wait.cancel(false);
            unreliable.deliver();
            unreliable.setMood(Mood.ANSWERS);
            assertThat(limiter.look(List.of(Demand.of(limit, "k", 2))).allowed())
                    .isTrue();
        }
        assertThat(unreliable.givenBack()).hasSize(2);
    }

    @Test
    void servesInOrderOverAnEngineThatAnswersLater() {
        List<Integer> passed = new ArrayList<>();
        Hold hold = limiter.hold(TWO, "k", 2);
        unreliable.setMood(Mood.LATE);
        List<CompletableFuture<Void>> waits = new ArrayList<>();
        for (int i = 0; i < 50; i++) {
            int who = i;
            waits.add(limiter.holdAsync(TWO, "k", 2, SECOND).thenAccept(next -> {
                passed.add(who);
                next.close();
            }));
            unreliable.deliver();
        }
        hold.close();
        for (int i = 0; i < 200; i++) {
            unreliable.deliver();
        }
        assertThat(waits).allMatch(CompletableFuture::isDone);
        assertThat(passed).hasSize(50).isSorted();
        assertThat(unreliable.asked()).hasSizeLessThanOrEqualTo(105);
    }

    @Test
    void whatTheStandInHandsOutComesBackWhenItIsClosed() {
        unreliable.setMood(Mood.THROWS);
        Hold hold = limiter.hold(TWO, "k", 1);
        assertThat(hold.allowed()).isTrue();
        assertThat(hold.decision().degraded()).isEqualTo("unreliable-error");
        assertThat(hold.renew().toCompletableFuture()).isCompletedWithValue(true);
        CompletableFuture<Hold> next = limiter.holdAsync(TWO, "k", 1, SECOND);
        assertThat(next).isNotDone();
        hold.close();
        assertThat(next).isCompletedWithValueMatching(Hold::allowed);
    }

    @Test
    void whatTheStandInHasBackIsHandedOnThoughTheEngineIsSilent() {
        unreliable.setMood(Mood.LOSES_QUESTION);
        CompletableFuture<Hold> hold = limiter.holdAsync(TWO, "k", 1, SECOND);
        clock.advance(DEADLINE);
        CompletableFuture<Hold> next = limiter.holdAsync(TWO, "k", 1, SECOND.multipliedBy(3));
        clock.advance(DEADLINE);
        assertThat(next).isNotDone();
        hold.join().close();
        clock.advance(DEADLINE);
        assertThat(next).isCompletedWithValueMatching(Hold::allowed);
    }

    @Test
    void releasesWhatALostAnswerChargedForACallerThatPassedAnyway() {
        unreliable.setMood(Mood.LOSES_ANSWER);
        CompletableFuture<Hold> hold = limiter.holdAsync(TWO, "k", 1, SECOND);
        clock.advance(DEADLINE);
        assertThat(hold).isCompletedWithValueMatching(Hold::allowed);
        assertThat(inFlight()).isEqualTo(1);
        hold.join().close();
        assertThat(inFlight()).isZero();
    }

    @Test
    void reportsUnknownWhenARenewalIsLost() {
        Hold hold = limiter.hold(TWO, "k", 1);
        unreliable.setMood(Mood.LOSES_ANSWER);
        CompletableFuture<Boolean> renewed = hold.renew().toCompletableFuture();
        clock.advance(DEADLINE.minusNanos(1));
        assertThat(renewed).isNotDone();
        clock.advance(Duration.ofNanos(1));
        assertThat(renewed)
                .failsWithin(Duration.ZERO)
                .withThrowableThat()
                .withRootCauseInstanceOf(TimeoutException.class);
        for (Mood mood : List.of(Mood.FAILS, Mood.THROWS)) {
            unreliable.setMood(mood);
            assertThat(hold.renew().toCompletableFuture()).isCompletedExceptionally();
        }
    }

    private CompletableFuture<Decision> acquire(Limit limit, String key, FailurePolicy policy, Duration maxWait) {
        Ask ask = Ask.charging(List.of(Demand.of(limit, key, 1)))
                .dueAt(limiter.dueIn(DEADLINE))
                .onFailure(policy, 0.5);
        return limiter.acquireAsync(ask, maxWait);
    }

    private long inFlight() {
        Ask look = Ask.charging(List.of(Demand.of(TWO, "k", 1))).looking();
        return 2 - ((EngineDecision) counts.decide(look)).verdicts().get(0).remaining();
    }
}
