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
import io.sluice.core.spi.Settlement;
import io.sluice.core.spi.SettlementResult;
import io.sluice.core.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Runs the waits: asks the engine for waiters whose turn it is, sets an alarm for the moment that the engine names, and gives
 * back the permits charged for callers that have left. {@link WaitQueues} decides whose turn it is. Thread-safe.
 *
 * <p>Every caller is answered: an engine behind {@link io.sluice.core.decorator.FallbackEngine} answers each ask by its
 * deadline, and the alarm at the end of a wait asks one last time. This class has no threads of its own. It runs on the thread
 * of an alarm, of an answer, or of a caller that returned permits.
 */
final class WaitScheduler {

    private final Engine engine;

    /** True if permits may be returned without notice to this process. */
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

    /** Starts a wait. A caller leaves by completing the future itself, for example by cancelling it. */
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

    /** Blocks until a wait has ended. If the thread is interrupted, the wait leaves no trace. */
    static <T> T await(CompletableFuture<T> place, Consumer<T> undo) throws InterruptedException {
        try {
            return place.get();
        } catch (InterruptedException e) {
            if (!place.cancel(false)) {
                undo.accept(place.join());
            }
            throw e;
        } catch (ExecutionException e) {
            throw new IllegalStateException("a wait failed (expected: an answer or a cancellation)", e);
        }
    }

    /** Gives back the permits that a decision charged, and makes the callers that wait for them ask again. */
    CompletionStage<Boolean> giveBack(Decision decision) {
        return giveBack(decision, decision.outcome().charges(decision.ask()));
    }

    /** Gives back some of the permits that a decision charged, and makes the callers that wait for them ask again. */
    CompletionStage<Boolean> giveBack(Decision decision, List<Charge> charges) {
        if (charges.isEmpty()) {
            return CompletableFuture.completedFuture(false);
        }
        CompletionStage<Boolean> done = engineGivesBack(charges);
        if (decision.degraded() != null) {
            // The stand-in already has them back, and the engine may never confirm.
            lines.freed(charges);
        }
        return done.whenComplete((held, failure) -> lines.freed(charges));
    }

    /** Gives back held permits, granted by any process, and makes the callers that wait for them ask again. */
    CompletionStage<Boolean> giveBack(List<Charge> charges) {
        CompletionStage<Boolean> done = engineGivesBack(charges);
        // A stand-in may already have them back.
        lines.freed(charges);
        return done.whenComplete((held, failure) -> lines.freed(charges));
    }

    /** Makes the callers that wait for permits ask again if a settlement has given some back. */
    void settled(List<Settlement> settlements, List<SettlementResult> results) {
        List<Charge> freed = new ArrayList<>();
        for (int i = 0; i < results.size(); i++) {
            Settlement settlement = settlements.get(i);
            long permits = results.get(i).givenBack();
            if (permits > 0) {
                freed.add(new Charge(settlement.limit(), settlement.key(), permits, settlement.chargedAtMicros(), ""));
            }
        }
        if (!freed.isEmpty()) {
            lines.freed(freed);
        }
    }

    /** Answers all waiting callers. The closed engine refuses them unless their failure policy lets them pass. */
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

    /** Lets a refused waiter continue to wait, if that can help. */
    private boolean sendBack(Waiter<?> waiter, Decision refusal, long stamp) {
        long now = clock.nanoTime();
        int by = waiter.keptBy(refusal, now);
        if (by == Waiter.NOTHING || closed || waiter.place.isDone()) {
            return false;
        }
        if (refusal.degraded() != null) {
            // The engine may have charged an ask whose answer was lost. No caller would release these permits, and the
            // next ask must not reuse them: give them back. Do not wake other waiters, because an immediate retry would
            // only fail again.
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
            // close() may have looked for waiting callers just before this caller was added.
            lines.askAll();
        }
        return kept;
    }

    /**
     * Handles the end of a wait. The first waiter of a queue asks one last time. Any other waiter is refused, with the present
     * verdicts of the limits.
     */
    private void timeUp(Waiter<?> waiter) {
        if (lines.timeUp(waiter)) {
            Ask ask = waiter.askAt(clock.nanoTime());
            hear(ask.looking(), look -> {
                EngineDecision said = look.outcome();
                boolean open = said.allowed() && said.degraded() != null && ask.onFailure() == FailurePolicy.OPEN;
                finish(
                        waiter,
                        new AskDecision(
                                ask, new EngineDecision(open, said.verdicts(), said.atMicros(), said.degraded())));
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

    /** Called when the future is complete, whether the limiter or the caller completed it. */
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

    private CompletionStage<Boolean> engineGivesBack(List<Charge> charges) {
        try {
            return engine.giveBack(charges);
        } catch (RuntimeException e) {
            return CompletableFuture.failedFuture(e);
        }
    }
}
