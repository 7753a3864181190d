package io.sluice.testkit.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.core.Decision;
import io.sluice.core.KeyedLimits;
import io.sluice.core.Limiter;
import io.sluice.core.decorator.Guard;
import io.sluice.core.limit.Limit;
import io.sluice.core.local.LocalEngine;
import io.sluice.core.spi.Answer;
import io.sluice.core.spi.Ask;
import io.sluice.core.spi.Charge;
import io.sluice.core.spi.Engine;
import io.sluice.core.spi.EngineFailure;
import io.sluice.core.spi.Settlement;
import io.sluice.core.spi.SettlementResult;
import io.sluice.core.spi.SettlementResult.Kind;
import io.sluice.core.time.ManualClock;
import io.sluice.testkit.QuietClock;
import io.sluice.testkit.engine.UnreliableEngine.Mood;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeoutException;
import org.junit.jupiter.api.Test;

/** A limiter settles each reservation once, whatever its engine loses. */
final class SettlingOverUnreliableEngineTest {

    private static final Limit TEN = Limit.named("ten").fixedWindow(10, Duration.ofDays(1));
    private static final Duration TEN_SECONDS = Duration.ofSeconds(10);

    private final ManualClock clock = QuietClock.at(1_700_000_000_000_000L);
    private final UnreliableEngine engine = new UnreliableEngine(new LocalEngine(clock));
    private final Limiter limiter = new Limiter(engine, clock, List.of());

    private Settlement reserved(String id, long permits, long actual) {
        Decision decision = limiter.decide(TEN, "k", permits);
        Charge charge = decision.outcome().charges(decision.ask()).get(0);
        return Settlement.of(charge, actual, id, 300_000_000);
    }

    private long remaining() {
        engine.setMood(Mood.ANSWERS);
        return limiter.look(KeyedLimits.of(TEN, "k"))
                .outcome()
                .verdicts()
                .get(0)
                .remaining();
    }

    @Test
    void settlesOnceIfTheAnswerIsLost() {
        List<Settlement> settlement = List.of(reserved("a", 8, 3));
        engine.setMood(Mood.LOSES_ANSWER);
        CompletableFuture<List<SettlementResult>> results = limiter.settle(settlement, TEN_SECONDS);
        clock.advance(Duration.ofMillis(2_500));
        assertThat(results).isNotDone();
        assertThat(engine.settled()).isEqualTo(3);
        engine.setMood(Mood.ANSWERS);
        clock.advance(Duration.ofSeconds(1));
        assertThat(results).isCompletedWithValue(List.of(new SettlementResult(Kind.REPEATED, -5)));
        assertThat(remaining()).isEqualTo(7);
        int asked = engine.settled();
        clock.advance(Duration.ofMinutes(1));
        assertThat(engine.settled()).isEqualTo(asked);
    }

    @Test
    void triesAgainWithGrowingPausesWhileTheEngineFails() {
        List<Settlement> settlement = List.of(reserved("a", 2, 9));
        engine.setMood(Mood.FAILS);
        CompletableFuture<List<SettlementResult>> results = limiter.settle(settlement, TEN_SECONDS);
        clock.advance(Duration.ofMillis(25 + 50 + 100));
        assertThat(engine.settled()).isEqualTo(4);
        engine.setMood(Mood.THROWS);
        clock.advance(Duration.ofSeconds(3));
        assertThat(engine.settled()).isBetween(6, 9);
        engine.setMood(Mood.ANSWERS);
        clock.advance(Duration.ofSeconds(1));
        assertThat(results).isCompletedWithValue(List.of(new SettlementResult(Kind.SETTLED, 7)));
        assertThat(remaining()).isEqualTo(1);
    }

    @Test
    void theFirstAnswerCountsEvenIfItIsLate() {
        List<Settlement> settlement = List.of(reserved("a", 8, 3));
        engine.setMood(Mood.LATE);
        CompletableFuture<List<SettlementResult>> results = limiter.settle(settlement, TEN_SECONDS);
        clock.advance(Duration.ofMillis(1_500));
        assertThat(engine.settled()).isEqualTo(2);
        engine.deliver();
        assertThat(results).isCompletedWithValue(List.of(new SettlementResult(Kind.SETTLED, -5)));
    }

    @Test
    void failsWhenTheTimeIsOver() {
        List<Settlement> settlement = List.of(reserved("a", 8, 3));
        engine.setMood(Mood.LOSES_QUESTION);
        CompletableFuture<List<SettlementResult>> silent = limiter.settle(settlement, TEN_SECONDS);
        engine.setMood(Mood.FAILS);
        CompletableFuture<List<SettlementResult>> failing = limiter.settle(settlement, TEN_SECONDS);
        engine.setMood(Mood.LOSES_QUESTION);
        clock.advance(Duration.ofMillis(9_999));
        assertThat(silent).isNotDone();
        assertThat(failing).isNotDone();
        clock.advance(Duration.ofMillis(1));
        assertThat(silent).isCompletedExceptionally();
        assertThat(failing).isCompletedExceptionally();
        assertThatThrownBy(silent::join).hasRootCauseInstanceOf(TimeoutException.class);
        assertThatThrownBy(failing::join).hasRootCauseMessage("unreliable");
        assertThat(remaining()).isEqualTo(2);
    }

    @Test
    void failsAtOnceIfThereIsNoTimeForAnotherAttempt() {
        List<Settlement> settlement = List.of(reserved("a", 8, 3));
        engine.setMood(Mood.FAILS);
        assertThat(limiter.settle(settlement, Duration.ofMillis(25))).isCompletedExceptionally();
        assertThat(limiter.settle(settlement, Duration.ofMillis(26))).isNotDone();
    }

    @Test
    void aSettlementThatGivesBackWakesTheCallersThatWait() {
        List<Settlement> settlement = List.of(reserved("a", 10, 3));
        CompletableFuture<Decision> waiting = limiter.acquireAsync(TEN, "k", 5, Duration.ofDays(2));
        assertThat(waiting).isNotDone();
        assertThat(limiter.settle(settlement, TEN_SECONDS))
                .isCompletedWithValue(List.of(new SettlementResult(Kind.SETTLED, -7)));
        assertThat(waiting).isCompletedWithValueMatching(Decision::allowed);
    }

    @Test
    void doesNotAskAgainWhatTheEngineCannotDo() {
        Settlement some = new Settlement(TEN, "k", 1, 2, clock.epochMicros(), "a", 1_000_000);
        // The guard wraps the failure of the engine.
        for (Engine unable : List.of(new Unable(), new Guard(new Unable(), clock))) {
            CompletableFuture<List<SettlementResult>> results =
                    new Limiter(unable, clock, List.of()).settle(List.of(some), TEN_SECONDS);
            assertThat(results).isCompletedExceptionally();
            assertThatThrownBy(results::join).hasRootCauseMessage("settle: unable (expected: an engine that settles)");
        }
    }

    /** An engine that does not settle. */
    private static final class Unable implements Engine {

        @Override
        public String name() {
            return "unable";
        }

        @Override
        public Answer decide(Ask ask) {
            return new EngineFailure("unable", false);
        }

        @Override
        public CompletableFuture<Boolean> giveBack(List<Charge> charges) {
            return CompletableFuture.completedFuture(false);
        }

        @Override
        public CompletableFuture<Boolean> renew(Charge charge) {
            return CompletableFuture.completedFuture(false);
        }

        @Override
        public void close() {}
    }
}
