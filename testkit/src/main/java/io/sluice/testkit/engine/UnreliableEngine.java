package io.sluice.testkit.engine;

import io.sluice.core.spi.Answer;
import io.sluice.core.spi.Ask;
import io.sluice.core.spi.Charge;
import io.sluice.core.spi.Engine;
import io.sluice.core.spi.EngineDecision;
import io.sluice.core.spi.Outcome;
import io.sluice.core.spi.PendingOutcome;
import io.sluice.core.spi.Settlement;
import io.sluice.core.spi.SettlementResult;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BiConsumer;

/**
 * An engine that wraps another engine and answers according to its mood: late, twice, or never. It records the requests and refunds that
 * reached it. Thread-safe.
 */
public final class UnreliableEngine implements Engine {

    /** The treatment of the next requests. */
    public enum Mood {
        /** Answers like the wrapped engine, but through a future. */
        ANSWERS,
        /** Decides immediately, and answers when {@link UnreliableEngine#deliver} is called. */
        LATE,
        /** Answers, and then answers the opposite. */
        TWICE,
        /** Decides when {@link UnreliableEngine#deliver} is called, and answers twice. */
        LATE_AND_TWICE,
        /** Decides, and loses the answer. */
        LOSES_ANSWER,
        /** Loses the request. */
        LOSES_QUESTION,
        /** Answers with a failure. */
        FAILS,
        /** Throws an exception. */
        THROWS
    }

    private final Engine behind;
    private final ConcurrentLinkedQueue<Runnable> late = new ConcurrentLinkedQueue<>();
    private final CopyOnWriteArrayList<Ask> asked = new CopyOnWriteArrayList<>();
    private final CopyOnWriteArrayList<Charge> givenBack = new CopyOnWriteArrayList<>();
    private final AtomicInteger settled = new AtomicInteger();
    private volatile Mood mood = Mood.ANSWERS;
    private volatile Executor afterArrivals = Runnable::run;

    /** Wraps an engine that answers immediately. */
    public UnreliableEngine(Engine behind) {
        this.behind = behind;
    }

    public void setMood(Mood mood) {
        this.mood = mood;
    }

    /** Sets the executor of the action at a deadline, see {@link PendingOutcome}. */
    public void runAfterArrivals(Executor executor) {
        this.afterArrivals = executor;
    }

    /** Delivers all late answers. */
    public void deliver() {
        for (Runnable answer = late.poll(); answer != null; answer = late.poll()) {
            answer.run();
        }
    }

    /** Returns every request that reached this engine. */
    public List<Ask> asked() {
        return List.copyOf(asked);
    }

    /** Returns every charge that was given back. */
    public List<Charge> givenBack() {
        return List.copyOf(givenBack);
    }

    @Override
    public String name() {
        return "unreliable";
    }

    @Override
    public Answer decide(Ask ask) {
        asked.add(ask);
        CompletableFuture<Outcome> once = new CompletableFuture<>();
        CompletableFuture<Outcome> twice = new HeardTwice();
        switch (mood) {
            case ANSWERS -> once.complete((Outcome) behind.decide(ask));
            case LATE -> {
                Outcome outcome = (Outcome) behind.decide(ask);
                late.add(() -> once.complete(outcome));
            }
            case TWICE -> {
                twice.complete((Outcome) behind.decide(ask));
                return new PendingOutcome(twice);
            }
            case LATE_AND_TWICE -> {
                late.add(() -> twice.complete((Outcome) behind.decide(ask)));
                return new PendingOutcome(twice);
            }
            case LOSES_ANSWER -> behind.decide(ask);
            case LOSES_QUESTION -> {}
            case FAILS -> once.completeExceptionally(new IllegalStateException("unreliable"));
            case THROWS -> throw new IllegalStateException("unreliable");
        }
        return new PendingOutcome(once, afterArrivals);
    }

    /** Gives charges back. Refunds are lost like requests; the other moods do not affect them. */
    @Override
    public CompletionStage<Boolean> giveBack(List<Charge> charges) {
        givenBack.addAll(charges);
        return switch (mood) {
            case LOSES_ANSWER -> behind.giveBack(charges).thenCompose(done -> new CompletableFuture<>());
            case LOSES_QUESTION -> new CompletableFuture<>();
            default -> behind.giveBack(charges);
        };
    }

    /** Renewals are lost, fail and throw like requests. They are never late or answered twice. */
    @Override
    public CompletionStage<Boolean> renew(Charge charge) {
        return switch (mood) {
            case LOSES_ANSWER -> behind.renew(charge).thenCompose(renewed -> new CompletableFuture<>());
            case LOSES_QUESTION -> new CompletableFuture<>();
            case FAILS -> CompletableFuture.failedFuture(new IllegalStateException("unreliable"));
            case THROWS -> throw new IllegalStateException("unreliable");
            default -> behind.renew(charge);
        };
    }

    /** Settlements are lost, fail and throw like requests, and are late if requests are. They are never answered twice. */
    @Override
    public CompletionStage<List<SettlementResult>> settle(List<Settlement> settlements) {
        settled.incrementAndGet();
        return switch (mood) {
            case LATE -> {
                CompletableFuture<List<SettlementResult>> results = new CompletableFuture<>();
                CompletionStage<Void> unused =
                        behind.settle(settlements).thenAccept(some -> late.add(() -> results.complete(some)));
                yield results;
            }
            case LOSES_ANSWER -> behind.settle(settlements).thenCompose(done -> new CompletableFuture<>());
            case LOSES_QUESTION -> new CompletableFuture<>();
            case FAILS -> CompletableFuture.failedFuture(new IllegalStateException("unreliable"));
            case THROWS -> throw new IllegalStateException("unreliable");
            default -> behind.settle(settlements);
        };
    }

    /** Returns the number of times that this engine was asked to settle. */
    public int settled() {
        return settled.get();
    }

    @Override
    public void close() {
        behind.close();
    }

    /** Notifies its listeners twice, the second time with the opposite answer. */
    private static final class HeardTwice extends CompletableFuture<Outcome> {

        @Override
        public CompletableFuture<Outcome> whenComplete(BiConsumer<? super Outcome, ? super Throwable> action) {
            return super.whenComplete(action)
                    .whenComplete((outcome, failure) -> action.accept(opposite((EngineDecision) outcome), failure));
        }

        @Override
        public <U> CompletableFuture<U> newIncompleteFuture() {
            return new CompletableFuture<>();
        }

        private static EngineDecision opposite(EngineDecision decided) {
            return new EngineDecision(!decided.allowed(), decided.verdicts(), decided.atMicros(), decided.degraded());
        }
    }
}
