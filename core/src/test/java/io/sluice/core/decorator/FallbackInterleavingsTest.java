package io.sluice.core.decorator;

import io.sluice.core.Seeded;
import io.sluice.core.limit.Limit;
import io.sluice.core.spi.Answer;
import io.sluice.core.spi.Ask;
import io.sluice.core.spi.Charge;
import io.sluice.core.spi.Demand;
import io.sluice.core.spi.Engine;
import io.sluice.core.spi.EngineDecision;
import io.sluice.core.spi.FailurePolicy;
import io.sluice.core.spi.Outcome;
import io.sluice.core.spi.PendingOutcome;
import io.sluice.core.spi.Verdict;
import io.sluice.core.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BiConsumer;
import org.jetbrains.lincheck.datastructures.ModelCheckingOptions;
import org.jetbrains.lincheck.datastructures.Operation;
import org.jetbrains.lincheck.datastructures.Validate;
import org.junit.jupiter.api.Test;

/**
 * The engine answers, even twice, while the deadline passes, in every interleaving that Lincheck has time for. Either may come
 * first. But the caller is answered once, and permits charged for a refused caller are given back once.
 */
final class FallbackInterleavingsTest {

    @Test
    void noInterleavingKeepsOrReturnsTwiceWhatALateAnswerCharged() {
        new ModelCheckingOptions()
                .iterations((int) Seeded.scaled(1, 30))
                .invocationsPerIteration(300)
                .threads(3)
                .actorsPerThread(1)
                .actorsBefore(0)
                .actorsAfter(0)
                .sequentialSpecification(Untold.class)
                .check(Race.class);
    }

    public static class Race {

        private static final Limit LIMIT = Limit.named("x").slidingLog(10, Duration.ofMinutes(1));
        private static final Outcome CHARGED =
                new EngineDecision(true, List.of(new Verdict(true, 1, 9, 0, 0, 0, 1)), 1, null);

        private final Striking clock = new Striking();
        private final Slow engine = new Slow();
        private final AtomicInteger answers = new AtomicInteger();
        private final CompletableFuture<Outcome> told;

        public Race() {
            Ask ask = Ask.charging(List.of(Demand.of(LIMIT, "k", 1))).dueAt(1).onFailure(FailurePolicy.CLOSED, 1);
            PendingOutcome pending = (PendingOutcome) new FallbackEngine(engine, clock).decide(ask);
            told = pending.outcome().toCompletableFuture();
        }

        @Operation
        public void answer() {
            answers.incrementAndGet();
            engine.answer.hear.accept(CHARGED, null);
        }

        @Operation(runOnce = true)
        public void strike() {
            clock.alarm.run();
        }

        @Validate
        public void whatWasChargedIsUsedOrGoesBackOnce() {
            boolean refused = told.isDone() && told.join() instanceof EngineDecision decided && !decided.allowed();
            int owed = refused && answers.get() > 0 ? 1 : 0;
            if (!told.isDone() || engine.returned.get() != owed) {
                throw new IllegalStateException("told " + told + ", " + answers + " answers, " + engine.returned
                        + " returned (expected: " + owed + ")");
            }
        }
    }

    /** A clock whose alarm goes off when the test says so. */
    private static final class Striking implements Clock {

        private Runnable alarm = () -> {};

        @Override
        public long nanoTime() {
            return 0;
        }

        @Override
        public long epochMicros() {
            return 1_790_000_000_000_000L;
        }

        @Override
        public Alarm at(long atNanos, Runnable task) {
            alarm = task;
            return () -> {};
        }
    }

    /** An answer that arrives as often as the test wants. */
    private static final class Wire extends CompletableFuture<Outcome> {

        private BiConsumer<? super Outcome, ? super Throwable> hear = (outcome, failure) -> {};

        @Override
        public CompletableFuture<Outcome> whenComplete(BiConsumer<? super Outcome, ? super Throwable> action) {
            hear = action;
            return this;
        }
    }

    private static final class Slow implements Engine {

        private final Wire answer = new Wire();
        private final AtomicInteger returned = new AtomicInteger();

        @Override
        public String name() {
            return "slow";
        }

        @Override
        public Answer decide(Ask ask) {
            return new PendingOutcome(answer);
        }

        @Override
        public CompletionStage<Boolean> giveBack(List<Charge> charges) {
            returned.incrementAndGet();
            return CompletableFuture.completedFuture(false);
        }

        @Override
        public CompletionStage<Boolean> renew(Charge charge) {
            return CompletableFuture.completedFuture(false);
        }

        @Override
        public void close() {}
    }

    /** The specification: no call has a result; the state is checked when everything is quiet. */
    public static class Untold {

        public void answer() {}

        public void strike() {}
    }
}
