package io.sluice.testkit.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.core.decorator.Guard;
import io.sluice.core.limit.Limit;
import io.sluice.core.local.LocalEngine;
import io.sluice.core.spi.Answer;
import io.sluice.core.spi.Ask;
import io.sluice.core.spi.Charge;
import io.sluice.core.spi.Demand;
import io.sluice.core.spi.EngineDecision;
import io.sluice.core.spi.PendingOutcome;
import io.sluice.core.spi.Settlement;
import io.sluice.core.spi.SettlementResult;
import io.sluice.core.spi.SettlementResult.Kind;
import io.sluice.core.spi.Verdict;
import io.sluice.core.time.ManualClock;
import io.sluice.testkit.QuietClock;
import io.sluice.testkit.engine.UnreliableEngine.Mood;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What a guard counts while its store has not answered yet. */
final class GuardOverUnreliableEngineTest {

    private static final Limit HUNDRED = Limit.named("hundred").fixedWindow(100, Duration.ofHours(1));
    private static final Limit NONE = Limit.named("none").fixedWindow(0, Duration.ofHours(1));

    private final ManualClock clock = QuietClock.at(1_790_000_000_000_000L);
    private final UnreliableEngine store = new UnreliableEngine(new LocalEngine(clock));
    private final Guard guard = new Guard(store, clock);

    @Test
    void limitsRequestsUnderWayToAMultipleOfTheLimit() {
        store.setMood(Mood.LATE);
        List<Answer> answers = ask(1_000);
        assertThat(store.asked()).hasSize(120);
        assertThat(guard.refused()).isEqualTo(880);
        EngineDecision refused = (EngineDecision) answers.get(999);
        assertThat(refused.degraded()).isNull();
        Verdict told = refused.verdicts().get(0);
        assertThat(told.fits()).isFalse();
        assertThat(told.remaining()).isZero();
        assertThat(told.retryAfterMicros()).isEqualTo(20_000);
        store.deliver();
        assertThat(answers.subList(0, 120).stream().filter(GuardOverUnreliableEngineTest::isAllowed))
                .hasSize(100);
        // The refused requests leave nothing behind.
        ask(1_000);
        assertThat(store.asked()).hasSize(140);
    }

    @Test
    void forgetsWhatAnotherLimitRefused() {
        for (int i = 0; i < 500; i++) {
            guard.decide(Ask.charging(List.of(Demand.of(HUNDRED, "k", 1).guardedBy(1), Demand.of(NONE, "k", 1))));
        }
        assertThat(store.asked()).hasSize(500);
        assertThat(ask(100)).allMatch(GuardOverUnreliableEngineTest::isAllowed);
    }

    @Test
    void doesNotCountRequestsThatAreNotAnsweredByTheDeadline() {
        for (Mood mood : List.of(Mood.LOSES_QUESTION, Mood.FAILS, Mood.THROWS)) {
            store.setMood(mood);
            for (int i = 0; i < 200; i++) {
                Ask ask = asking(1).dueAt(clock.nanoTime() + 20_000_000);
                if (mood == Mood.THROWS) {
                    assertThatThrownBy(() -> guard.decide(ask)).isInstanceOf(IllegalStateException.class);
                } else {
                    guard.decide(ask);
                }
            }
            clock.advance(Duration.ofMillis(20));
            store.setMood(Mood.LATE);
            int asked = store.asked().size();
            ask(1_000);
            assertThat(store.asked()).as("after %s", mood).hasSize(asked + 120);
            store.deliver();
            clock.advance(Duration.ofHours(1));
        }
    }

    @Test
    void countsAnAnswerOnceEvenIfItComesTwiceOrLate() {
        store.setMood(Mood.TWICE);
        guard.decide(asking(60));
        store.setMood(Mood.LATE);
        guard.decide(asking(40).dueAt(clock.nanoTime() + 1));
        clock.advance(Duration.ofMillis(1));
        store.deliver();
        store.setMood(Mood.ANSWERS);
        assertThat(isAllowed(guard.decide(asking(20)))).isFalse();
        assertThat(guard.refused()).isZero();
        assertThat(isAllowed(guard.decide(asking(21)))).isFalse();
        assertThat(guard.refused()).isEqualTo(1);
    }

    @Test
    void countsWhatWasGrantedAndNotWhatWasAskedFor() {
        assertThat(isAllowed(guard.decide(asking(90)))).isTrue();
        Demand any = Demand.of(HUNDRED, "k", 30).orAtLeast(1).guardedBy(1.2);
        assertThat(isAllowed(guard.decide(Ask.charging(List.of(any))))).isTrue();
        store.setMood(Mood.LATE);
        ask(50);
        assertThat(guard.refused()).isEqualTo(30);
    }

    @Test
    void keepsForOthersBesideTheRequestsUnderWay() {
        store.setMood(Mood.LATE);
        ask(60);
        Ask keeping =
                Ask.charging(List.of(Demand.of(HUNDRED, "k", 10).keeping(50).guardedBy(1)));
        Answer refused = guard.decide(keeping);
        assertThat(guard.refused()).isEqualTo(1);
        assertThat(isAllowed(refused)).isFalse();
        Ask fewer = Ask.charging(List.of(Demand.of(HUNDRED, "k", 10).keeping(30).guardedBy(1)));
        Answer asked = guard.decide(fewer);
        assertThat(guard.refused()).isEqualTo(1);
        store.deliver();
        assertThat(isAllowed(asked)).isTrue();
    }

    @Test
    void givesBackWhatWasSettledAlsoIfTheAnswerIsLost() {
        Ask all = asking(100);
        Charge charge = decided(guard.decide(all)).charges(all).get(0);
        List<Settlement> settlements = List.of(Settlement.of(charge, 10, "id", 1_000_000));
        store.setMood(Mood.LOSES_ANSWER);
        assertThat(guard.settle(settlements).toCompletableFuture()).isNotDone();
        store.setMood(Mood.ANSWERS);
        assertThat(guard.settle(settlements).toCompletableFuture().join())
                .containsExactly(new SettlementResult(Kind.REPEATED, -90));
        assertThat(isAllowed(guard.decide(asking(90)))).isTrue();
        assertThat(guard.refused()).isZero();
    }

    /** Otherwise a caller could empty the guard with one settlement. */
    @Test
    void givesBackOnceHoweverOftenASettlementIsRepeated() {
        List<Settlement> settlements = settlementOfHalfOfAFullLimit();
        for (int i = 0; i < 3; i++) {
            assertThat(guard.settle(settlements).toCompletableFuture().join())
                    .extracting(SettlementResult::change)
                    .containsExactly(-40L);
        }
        assertThat(isAllowed(guard.decide(asking(60)))).isFalse();
        assertThat(guard.refused()).as("the store refuses it").isZero();
        assertThat(isAllowed(guard.decide(asking(61)))).isFalse();
        assertThat(guard.refused()).isEqualTo(1);
    }

    /** Returns a settlement that gives back 40 of 100 permits. */
    private List<Settlement> settlementOfHalfOfAFullLimit() {
        Ask half = asking(50);
        Charge charge = decided(guard.decide(half)).charges(half).get(0);
        assertThat(isAllowed(guard.decide(asking(50)))).isTrue();
        return List.of(Settlement.of(charge, 10, "id", 1_000_000));
    }

    @Test
    void givesBackOnceIfTheAnswerToARepetitionIsFaster() {
        List<Settlement> settlements = settlementOfHalfOfAFullLimit();
        store.setMood(Mood.LATE);
        var first = guard.settle(settlements).toCompletableFuture();
        store.setMood(Mood.ANSWERS);
        assertThat(guard.settle(settlements).toCompletableFuture().join())
                .containsExactly(new SettlementResult(Kind.REPEATED, -40));
        store.deliver();
        assertThat(first.join()).containsExactly(new SettlementResult(Kind.SETTLED, -40));
        assertThat(isAllowed(guard.decide(asking(61)))).isFalse();
        assertThat(guard.refused()).isEqualTo(1);
    }

    /** The store charges a debt where the reservation is, so it is not longer in the way than that. */
    @Test
    void doesNotCountADebt() {
        Ask one = asking(1);
        Charge charge = decided(guard.decide(one)).charges(one).get(0);
        assertThat(guard.settle(List.of(Settlement.of(charge, 1_000, "id", 1_000_000)))
                        .toCompletableFuture()
                        .join())
                .containsExactly(new SettlementResult(Kind.SETTLED, 999));
        assertThat(isAllowed(guard.decide(asking(100)))).isFalse();
        assertThat(guard.refused()).as("the store refuses it").isZero();
    }

    private List<Answer> ask(int times) {
        List<Answer> answers = new ArrayList<>();
        for (int i = 0; i < times; i++) {
            answers.add(guard.decide(asking(1)));
        }
        return answers;
    }

    private static Ask asking(long permits) {
        return Ask.charging(List.of(Demand.of(HUNDRED, "k", permits).guardedBy(1.2)));
    }

    private static boolean isAllowed(Answer answer) {
        return decided(answer).allowed();
    }

    private static EngineDecision decided(Answer answer) {
        Object outcome = answer instanceof PendingOutcome pending
                ? pending.outcome().toCompletableFuture().join()
                : answer;
        return (EngineDecision) outcome;
    }
}
