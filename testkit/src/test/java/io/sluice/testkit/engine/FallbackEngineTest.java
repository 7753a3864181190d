package io.sluice.testkit.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.core.Limiter;
import io.sluice.core.decorator.FallbackEngine;
import io.sluice.core.limit.Limit;
import io.sluice.core.limit.Rate;
import io.sluice.core.local.LocalEngine;
import io.sluice.core.spi.Answer;
import io.sluice.core.spi.Ask;
import io.sluice.core.spi.Demand;
import io.sluice.core.spi.EngineDecision;
import io.sluice.core.spi.FailurePolicy;
import io.sluice.core.spi.Outcome;
import io.sluice.core.spi.PendingOutcome;
import io.sluice.core.spi.Settlement;
import io.sluice.core.spi.Verdict;
import io.sluice.core.time.ManualClock;
import io.sluice.testkit.QuietClock;
import io.sluice.testkit.engine.UnreliableEngine.Mood;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** Whatever an engine does with its answers, the caller has one by the deadline, and the counts are right. */
final class FallbackEngineTest {

    private static final Duration DEADLINE = Duration.ofMillis(20);
    private static final Limit TEN =
            Limit.named("ten").tokenBucket(Rate.perDay(10)).withBurst(10);

    private final ManualClock clock = QuietClock.at(1_790_000_000_000_000L);
    private final LocalEngine counts = new LocalEngine(clock);
    private final UnreliableEngine unreliable = new UnreliableEngine(counts);
    private final FallbackEngine engine = new FallbackEngine(unreliable, clock);

    @Test
    void passesOnWhatTheEngineAnswers() {
        assertThat(answerBy(ask(FailurePolicy.CLOSED)).degraded()).isNull();
        assertThat(remaining()).isEqualTo(9);
    }

    @ParameterizedTest
    @EnumSource(
            value = Mood.class,
            names = {"LATE", "LATE_AND_TWICE", "LOSES_ANSWER", "LOSES_QUESTION", "FAILS", "THROWS"})
    void answersByTheDeadlineWhateverTheEngineDoes(Mood mood) {
        unreliable.setMood(mood);
        EngineDecision open = answerBy(ask(FailurePolicy.OPEN));
        assertThat(open.allowed()).isTrue();
        assertThat(open.degraded()).startsWith("unreliable-");
        EngineDecision closed = answerBy(ask(FailurePolicy.CLOSED));
        assertThat(closed.allowed()).isFalse();
        assertThat(closed.verdicts()).extracting(Verdict::retryAfterMicros).containsExactly(1_000_000L);
        assertThat(unreliable.asked()).hasSize(2);
    }

    @Test
    void heldPermitsAreGivenBackUntilTheEngineHasReceivedThem() {
        Limit two = Limit.named("two").concurrency(2, Duration.ofMinutes(1));
        Ask both = Ask.charging(List.of(Demand.of(two, "k", 2))).onFailure(FailurePolicy.CLOSED, 1);
        EngineDecision granted = answerBy(both);
        assertThat(granted.allowed()).isTrue();
        unreliable.setMood(Mood.LOSES_QUESTION);
        engine.giveBack(granted.charges(both));
        clock.advance(Duration.ofSeconds(10));
        assertThat(unreliable.givenBack()).hasSizeBetween(3, 15);
        assertThat(free(two)).isZero();
        unreliable.setMood(Mood.ANSWERS);
        clock.advance(Duration.ofSeconds(3));
        assertThat(free(two)).isEqualTo(2);
        int attempts = unreliable.givenBack().size();
        clock.advance(Duration.ofMinutes(10));
        assertThat(unreliable.givenBack()).hasSize(attempts);
    }

    @Test
    void heldPermitsThatHaveExpiredAreNotGivenBackAgain() {
        Limit two = Limit.named("two").concurrency(2, Duration.ofSeconds(5));
        Ask both = Ask.charging(List.of(Demand.of(two, "k", 2))).onFailure(FailurePolicy.CLOSED, 1);
        EngineDecision granted = answerBy(both);
        unreliable.setMood(Mood.LOSES_QUESTION);
        engine.giveBack(granted.charges(both));
        clock.advance(Duration.ofSeconds(6));
        int attempts = unreliable.givenBack().size();
        assertThat(attempts).isBetween(2, 10);
        clock.advance(Duration.ofMinutes(10));
        assertThat(unreliable.givenBack()).hasSize(attempts);
    }

    @Test
    void aReleaseThatIsLostDoesNotExtendAPermit() {
        Limit one = Limit.named("one").concurrency(1, Duration.ofMinutes(1));
        Ask ask = Ask.charging(List.of(Demand.of(one, "k", 1)));
        Limiter limiter = new Limiter(engine, clock, List.of());
        EngineDecision granted = answerBy(ask);
        clock.advance(Duration.ofSeconds(50));
        unreliable.setMood(Mood.LOSES_QUESTION);
        CompletableFuture<Boolean> released =
                limiter.release(granted.charges(ask), Duration.ofSeconds(1)).toCompletableFuture();
        clock.advance(Duration.ofSeconds(9));
        assertThat(released).isCompletedExceptionally();
        assertThat(free(one)).isZero();
        clock.advance(Duration.ofSeconds(1));
        assertThat(free(one)).isEqualTo(1);
    }

    private long free(Limit limit) {
        Ask look = Ask.charging(List.of(Demand.of(limit, "k", 1))).looking();
        return ((EngineDecision) counts.decide(look)).verdicts().get(0).remaining();
    }

    @Test
    void waitsUntilTheDeadlineAndNoLonger() {
        unreliable.setMood(Mood.LOSES_ANSWER);
        CompletableFuture<Outcome> outcome = pending(engine.decide(ask(FailurePolicy.OPEN)));
        clock.advance(DEADLINE.minusNanos(1));
        assertThat(outcome).isNotDone();
        clock.advance(Duration.ofNanos(1));
        assertThat(outcome)
                .isCompletedWithValueMatching(
                        o -> ((EngineDecision) o).degraded().equals("unreliable-timeout"));
    }

    /** The thread that reads answers is paused for as long as the test likes. */
    @ParameterizedTest
    @CsvSource({"0, unreliable-timeout", "5, unreliable-timeout", "11, node-paused", "5000, node-paused"})
    void aDeadlineThatThisProcessNoticesLateIsNotBlamedOnTheEngine(int pausedMillis, String reason) {
        List<Runnable> afterArrivals = new ArrayList<>();
        unreliable.setMood(Mood.LOSES_ANSWER);
        unreliable.runAfterArrivals(afterArrivals::add);
        CompletableFuture<Outcome> outcome = pending(engine.decide(ask(FailurePolicy.CLOSED)));
        clock.advance(DEADLINE);
        clock.advance(Duration.ofMillis(pausedMillis));
        afterArrivals.forEach(Runnable::run);
        assertThat(((EngineDecision) outcome.join()).degraded()).isEqualTo(reason);
    }

    @Test
    void enforcesTheLocalShareMeanwhile() {
        unreliable.setMood(Mood.LOSES_QUESTION);
        int allowed = 0;
        for (int i = 0; i < 20; i++) {
            allowed += answerBy(ask(FailurePolicy.LOCAL)).allowed() ? 1 : 0;
        }
        assertThat(allowed).isEqualTo(5);
    }

    /** Half of ten permits, of which the same share is kept: two of five, rounded up. */
    @Test
    void keepsTheSameShareOfTheLocalShareForOthers() {
        unreliable.setMood(Mood.LOSES_QUESTION);
        Limit window = Limit.named("window").fixedWindow(10, Duration.ofDays(1_000));
        for (Limit limit : List.of(TEN, window)) {
            Demand keeping = Demand.of(limit, "k", 1).keeping(3);
            for (int i = 0; i < 3; i++) {
                assertThat(answerBy(local(keeping)).allowed())
                        .as("%s, %d", limit, i)
                        .isTrue();
            }
            EngineDecision refused = answerBy(local(keeping));
            assertThat(refused.allowed()).as("%s", limit).isFalse();
            assertThat(refused.verdicts()).extracting(Verdict::keptForOthers).containsExactly(true);
            // The last but one of those that are kept passes one that takes none and leaves one.
            assertThat(answerBy(local(keeping.permits(0))).allowed()).isTrue();
            assertThat(answerBy(local(Demand.of(limit, "k", 2))).allowed()).isTrue();
            assertThat(answerBy(local(keeping.permits(0))).allowed()).isFalse();
        }
    }

    @Test
    void aSettlementThatThrowsFails() {
        unreliable.setMood(Mood.THROWS);
        Settlement settlement = new Settlement(TEN, "k", 0, 1, clock.epochMicros(), "id", 1_000_000);
        assertThat(engine.settle(List.of(settlement)).toCompletableFuture()).isCompletedExceptionally();
    }

    @Test
    void countsAlongWhatTheEngineAdmits() {
        for (int i = 0; i < 3; i++) {
            assertThat(answerBy(ask(FailurePolicy.LOCAL)).degraded()).isNull();
        }
        unreliable.setMood(Mood.LOSES_QUESTION);
        int allowed = 0;
        for (int i = 0; i < 20; i++) {
            allowed += answerBy(ask(FailurePolicy.LOCAL)).allowed() ? 1 : 0;
        }
        assertThat(allowed).isEqualTo(2);
    }

    @Test
    void doesNotCountAlongWhatTheEngineRefuses() {
        assertThat(answerBy(ask(FailurePolicy.CLOSED, 10)).allowed()).isTrue();
        for (int i = 0; i < 20; i++) {
            assertThat(answerBy(ask(FailurePolicy.LOCAL)).allowed()).isFalse();
        }
        unreliable.setMood(Mood.LOSES_QUESTION);
        assertThat(answerBy(ask(FailurePolicy.LOCAL, 5)).allowed()).isTrue();
    }

    @Test
    void givesBackWhatALateAnswerChargedForARefusedCaller() {
        unreliable.setMood(Mood.LATE);
        assertThat(answerBy(ask(FailurePolicy.CLOSED)).allowed()).isFalse();
        assertThat(remaining()).isEqualTo(9);
        unreliable.deliver();
        assertThat(unreliable.givenBack()).hasSize(1);
        assertThat(remaining()).isEqualTo(10);
    }

    @Test
    void leavesChargedWhatALateAnswerChargedForAnAdmittedCaller() {
        unreliable.setMood(Mood.LATE);
        assertThat(answerBy(ask(FailurePolicy.LOCAL)).allowed()).isTrue();
        unreliable.deliver();
        assertThat(unreliable.givenBack()).isEmpty();
        assertThat(remaining()).isEqualTo(9);
    }

    @Test
    void usesTheFirstOfTwoAnswers() {
        unreliable.setMood(Mood.TWICE);
        assertThat(answerBy(ask(FailurePolicy.CLOSED)).allowed()).isTrue();
        assertThat(answerBy(ask(FailurePolicy.CLOSED, 10)).allowed()).isFalse();
        assertThat(unreliable.givenBack()).isEmpty();
        assertThat(remaining()).isEqualTo(9);
    }

    @Test
    void givesBackOnceWhenAnAnswerComesLateAndTwice() {
        unreliable.setMood(Mood.LATE_AND_TWICE);
        assertThat(answerBy(ask(FailurePolicy.CLOSED)).allowed()).isFalse();
        unreliable.deliver();
        assertThat(unreliable.givenBack()).hasSize(1);
        assertThat(remaining()).isEqualTo(10);
    }

    /** What is granted beside what is kept fits the limit. */
    @Test
    void anOpenPolicyGrantsWhatIsNotKeptForOthers() {
        unreliable.setMood(Mood.FAILS);
        Demand any = Demand.of(TEN, "k", 8).orAtLeast(1).keeping(4);
        Ask open = Ask.charging(List.of(any)).onFailure(FailurePolicy.OPEN, 1);
        EngineDecision decided = answerBy(open.dueAt(clock.nanoTime() + DEADLINE.toNanos()));
        assertThat(decided.allowed()).isTrue();
        assertThat(decided.verdicts()).extracting(Verdict::granted).containsExactly(6L);
    }

    @Test
    void refusesEvenWhenOpenWhatNoLimitCouldHold() {
        unreliable.setMood(Mood.THROWS);
        EngineDecision tooMany = answerBy(ask(FailurePolicy.OPEN, 11));
        assertThat(tooMany.allowed()).isFalse();
        assertThat(tooMany.verdicts().get(0).retryAfterMicros()).isEqualTo(Verdict.NEVER);
    }

    @Test
    void doesNotCallHopelessWhatOnlyTheShareCannotHold() {
        unreliable.setMood(Mood.THROWS);
        EngineDecision eight = answerBy(ask(FailurePolicy.LOCAL, 8));
        assertThat(eight.allowed()).isFalse();
        assertThat(eight.verdicts().get(0).retryAfterMicros()).isEqualTo(1_000_000);
    }

    @Test
    void givesNothingBackOfADegradedDecision() {
        unreliable.setMood(Mood.THROWS);
        Ask ask = ask(FailurePolicy.LOCAL);
        assertThat(answerBy(ask).charges(ask)).isEmpty();
    }

    private Ask ask(FailurePolicy policy) {
        return ask(policy, 1);
    }

    private Ask ask(FailurePolicy policy, long permits) {
        return ask(policy, Demand.of(TEN, "k", permits));
    }

    private Ask local(Demand demand) {
        return ask(FailurePolicy.LOCAL, demand);
    }

    private Ask ask(FailurePolicy policy, Demand demand) {
        return Ask.charging(List.of(demand))
                .dueAt(clock.nanoTime() + DEADLINE.toNanos())
                .onFailure(policy, 0.5);
    }

    /** Returns the outcome once the deadline has passed. */
    private EngineDecision answerBy(Ask ask) {
        Answer answer = engine.decide(ask);
        clock.advance(DEADLINE);
        return (EngineDecision)
                (answer instanceof PendingOutcome ? pending(answer).getNow(null) : answer);
    }

    private static CompletableFuture<Outcome> pending(Answer answer) {
        return ((PendingOutcome) answer).outcome().toCompletableFuture();
    }

    private long remaining() {
        Ask look = Ask.charging(List.of(Demand.of(TEN, "k", 1))).looking();
        return ((EngineDecision) counts.decide(look)).verdicts().get(0).remaining();
    }
}
