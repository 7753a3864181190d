package io.sluice.core;

import io.sluice.core.internal.Expect;
import io.sluice.core.local.LocalEngine;
import io.sluice.core.spi.Answer;
import io.sluice.core.spi.Ask;
import io.sluice.core.spi.Charge;
import io.sluice.core.spi.Engine;
import io.sluice.core.spi.EngineDecision;
import io.sluice.core.spi.EngineFailure;
import io.sluice.core.spi.FailurePolicy;
import io.sluice.core.spi.Outcome;
import io.sluice.core.spi.PendingOutcome;
import io.sluice.core.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Waiting for the moment to go on: asks for those whose turn it is, lets them sleep until the moment that the engine names, and
 * gives back what was charged for those who have left. {@link WaitQueues} says whose turn it is. Safe for use by many threads.
 *
 * <p>Everybody is answered: an engine behind {@link io.sluice.core.decorator.FallbackEngine} answers each ask by its deadline, and the alarm at the end of
 * a wait asks for the last time. There are no threads here; what is done is done on the thread of an alarm, of an answer, or
 * of whoever gave back.
 */
final class WaitScheduler {

    private final Engine engine;

    /** Whether permits may be given back where this process does not hear of it. */
    private final boolean shared;

    private final Clock clock;
    private final DecisionListeners listeners;
    private final WaitQueues lines = new WaitQueues(this::ask);
    private volatile boolean closed;

    WaitScheduler(Engine engine, Clock clock, DecisionListeners listeners) {
        this.engine = engine;
        this.shared = !(engine instanceof LocalEngine);
        this.clock = clock;
        this.listeners = listeners;
    }

    /** Starts to wait; whoever completes the future otherwise, by cancelling it for one, leaves. */
    <T> CompletableFuture<T> start(Ask ask, Duration maxWait, Function<Decision, T> as) {
        if (!ask.charges()) {
            throw new IllegalArgumentException("purpose: " + ask.purpose() + " (expected: CHARGE)");
        }
        long maxWaitMicros = Expect.wait("maxWait", maxWait);
        Waiter<T> waiter = new Waiter<>(lines.nextTicket(), ask, clock.nanoTime(), maxWaitMicros, as);
        if (!lines.joinBehind(waiter)) {
            ask(waiter);
        }
        if (!waiter.place.isDone()) {
            CompletionStage<T> place = waiter.place;
            place.whenComplete((told, failure) -> gone(waiter));
            waiter.setDeadline(clock.at(waiter.untilNanos, () -> timeUp(waiter)));
        }
        return waiter.place;
    }

    /** Blocks until a wait is over; an interrupted one is as if it had never been. */
    static <T> T await(CompletableFuture<T> place, Consumer<T> undo) throws InterruptedException {
        try {
            return place.get();
        } catch (InterruptedException e) {
            if (!place.cancel(false)) {
                undo.accept(place.join());
            }
            throw e;
        } catch (ExecutionException e) {
            throw new IllegalStateException("a wait is answered or cancelled, it does not fail", e);
        }
    }

    /** Gives back what a decision charged, and lets those ask who wait for it. */
    CompletionStage<Void> giveBack(Decision decision) {
        return giveBack(decision, decision.outcome().charges(decision.ask()));
    }

    /** Gives back a part of what a decision charged, and lets those ask who wait for it. */
    CompletionStage<Void> giveBack(Decision decision, List<Charge> charges) {
        if (charges.isEmpty()) {
            return CompletableFuture.completedFuture(null);
        }
        CompletionStage<Void> done = engineGivesBack(charges);
        if (decision.degraded() != null) {
            // The stand-in has it back already, and the engine may never say that it has.
            lines.freed(charges);
        }
        return done.whenComplete((nothing, failure) -> lines.freed(charges));
    }

    /** Gives back what somebody held, whoever handed it out, and lets those ask who wait for it. */
    CompletionStage<Void> giveBack(List<Charge> charges) {
        CompletionStage<Void> done = engineGivesBack(charges);
        // A stand-in may have it back already.
        lines.freed(charges);
        return done.whenComplete((nothing, failure) -> lines.freed(charges));
    }

    /** Answers all who wait, refusing those whom the closed engine refuses. */
    void close() {
        closed = true;
        lines.askAll();
    }

    WaitQueues lines() {
        return lines;
    }

    private void ask(Waiter<?> waiter) {
        long stamp = lines.stamp();
        hear(waiter.askAt(clock.nanoTime()), decision -> answered(waiter, decision, stamp));
    }

    private void answered(Waiter<?> waiter, Decision decision, long stamp) {
        if (!decision.allowed() && sendBack(waiter, decision, stamp)) {
            return;
        }
        WaitQueue left = lines.leaveAnswered(waiter);
        long waitMicros = decision.waitMicros();
        if (waitMicros == 0) {
            finish(waiter, decision);
        } else {
            waiter.reserve(decision);
            waiter.setAlarm(clock.at(clock.nanoTime() + waitMicros * 1_000, () -> slotCame(waiter)));
            if (waiter.place.isDone()) {
                giveBackReserved(waiter);
            }
        }
        lines.serve(left);
    }

    /** Lets one that was refused wait on, if that can help. */
    private boolean sendBack(Waiter<?> waiter, Decision refusal, long stamp) {
        long now = clock.nanoTime();
        int by = waiter.keptBy(refusal, now);
        if (by == Waiter.NOTHING || closed || waiter.place.isDone()) {
            return false;
        }
        if (refusal.degraded() != null) {
            // What a lost answer may have charged must neither be held for nobody nor be taken for what comes next.
            // Nobody
            // is woken: to ask again at once would only fail again.
            List<Charge> lost = refusal.outcome().charges(refusal.ask());
            if (!lost.isEmpty()) {
                waiter.rename();
                engineGivesBack(lost);
            }
        }
        long pauseMicros = waiter.pauseMicros(refusal, by, shared);
        if (pauseMicros < (waiter.untilNanos - now) / 1_000) {
            waiter.setAlarm(clock.at(now + pauseMicros * 1_000, () -> lines.ring(waiter)));
        }
        boolean kept = lines.keep(waiter, waiter.counts().get(by), stamp);
        if (kept && waiter.place.isDone()) {
            lines.leave(waiter);
        }
        if (kept && closed) {
            // Whoever closed may have looked for those who wait just before.
            lines.askAll();
        }
        return kept;
    }

    /** Whoever is first asked for the last time; who stands behind others is refused, and told what the limits say. */
    private void timeUp(Waiter<?> waiter) {
        if (lines.timeUp(waiter)) {
            Ask ask = waiter.askAt(clock.nanoTime());
            hear(ask.looking(), look -> {
                EngineDecision said = look.outcome();
                boolean open = said.allowed() && said.degraded() != null && ask.onFailure() == FailurePolicy.OPEN;
                finish(
                        waiter,
                        new Decision(ask, new EngineDecision(open, said.verdicts(), said.atMicros(), said.degraded())));
            });
        }
    }

    private void slotCame(Waiter<?> waiter) {
        Decision decision = waiter.takeReserved();
        if (decision != null) {
            finish(waiter, decision);
        }
    }

    private void finish(Waiter<?> waiter, Decision decision) {
        if (!waiter.place.isDone()) {
            listeners.tell(decision, clock.nanoTime() - waiter.startNanos);
            if (waiter.tell(decision)) {
                return;
            }
        }
        if (decision.allowed()) {
            giveBack(decision);
        }
    }

    /** The future is complete, by us or by the caller. */
    private void gone(Waiter<?> waiter) {
        waiter.cancelAlarms();
        giveBackReserved(waiter);
        lines.leave(waiter);
    }

    private void giveBackReserved(Waiter<?> waiter) {
        Decision decision = waiter.takeReserved();
        if (decision != null) {
            giveBack(decision);
        }
    }

    private void hear(Ask ask, Consumer<Decision> then) {
        Answer answer;
        try {
            answer = engine.decide(ask);
        } catch (RuntimeException e) {
            answer = failed();
        }
        if (answer instanceof PendingOutcome pending) {
            pending.outcome().whenComplete((outcome, failure) -> then.accept(decision(ask, outcome)));
        } else {
            then.accept(decision(ask, (Outcome) answer));
        }
    }

    private Decision decision(Ask ask, @Nullable Outcome outcome) {
        return Decision.of(ask, outcome == null ? failed() : outcome, clock);
    }

    private EngineFailure failed() {
        return new EngineFailure(engine.name() + "-error", true);
    }

    private CompletionStage<Void> engineGivesBack(List<Charge> charges) {
        try {
            return engine.giveBack(charges);
        } catch (RuntimeException e) {
            return CompletableFuture.failedFuture(e);
        }
    }
}
