package io.sluice.core.decorator;

import io.sluice.core.limit.Limit;
import io.sluice.core.limit.TokenBucket;
import io.sluice.core.local.Gates;
import io.sluice.core.local.LocalEngine;
import io.sluice.core.spi.Answer;
import io.sluice.core.spi.Ask;
import io.sluice.core.spi.Charge;
import io.sluice.core.spi.Demand;
import io.sluice.core.spi.Engine;
import io.sluice.core.spi.EngineDecision;
import io.sluice.core.spi.EngineFailure;
import io.sluice.core.spi.FailurePolicy;
import io.sluice.core.spi.KeyMatch;
import io.sluice.core.spi.Outcome;
import io.sluice.core.spi.PendingOutcome;
import io.sluice.core.spi.Settlement;
import io.sluice.core.spi.SettlementResult;
import io.sluice.core.spi.Verdict;
import io.sluice.core.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * Turns an engine that may be late, fail or be closed into an engine that always answers by the deadline. If the engine does not answer,
 * the ask's {@link io.sluice.core.spi.FailurePolicy} decides and the outcome is marked as degraded. A decorator. Thread-safe.
 *
 * <p><b>Accuracy.</b> No accuracy is lost while the engine answers. While it does not, {@code LOCAL} admits at most the local share of each
 * limit in each process. The local counts also record what the engine admits to this process, so that they do not start unused when the
 * engine fails (except the counts of concurrency limits, which do). {@code OPEN} admits every request that the limit could ever hold;
 * {@code CLOSED} admits none. The engine is asked only once per ask: a charge whose answer was lost or late stays, or is given back if the
 * caller was refused meanwhile. Held permits that are given back while the engine is unavailable are given back again until it has received
 * them.
 */
public final class FallbackEngine implements Engine {

    /** The retry time that callers receive after a refusal that only the failure caused. */
    private static final long RETRY_MICROS = 1_000_000;

    private static final Limit NOTHING = Limit.named("nothing").fixedWindow(0, Duration.ofSeconds(1));
    private static final int SCALED_LIMITS_KEPT = 10_000;

    /** The reason of a decision at a deadline that this process noticed late: it was paused, or the machine is overloaded. */
    private static final String PAUSED = "node-paused";

    /** The delay beyond a deadline that counts as a pause. A process that is not paused notices a deadline within a few milliseconds. */
    private static final long PAUSE_NANOS = 10_000_000L;

    private final Engine engine;
    private final LocalEngine local;
    private final Clock clock;
    private final PermitReturns returns;
    private final ConcurrentHashMap<Share, ScaledLimit> scaled = new ConcurrentHashMap<>();

    /** The scaled limit that was used last. */
    private volatile ScaledLimit lastScaled;

    public FallbackEngine(Engine engine, Clock clock) {
        this.engine = engine;
        this.clock = clock;
        this.local = new LocalEngine(clock);
        this.returns = new PermitReturns(engine, clock);
        this.lastScaled = new ScaledLimit(NOTHING, 1, NOTHING, null);
    }

    @Override
    public String name() {
        return engine.name();
    }

    @Override
    public Answer decide(Ask ask) {
        StandIn standIn = new StandIn(ask);
        Answer answer = askEngine(ask);
        if (answer instanceof EngineDecision decided) {
            standIn.notNeeded(decided);
            return decided;
        }
        if (answer instanceof EngineFailure undecided) {
            return standIn.decide(undecided.reason());
        }
        return new PendingOutcome(firstOf(ask, standIn, (PendingOutcome) answer));
    }

    /** Lets the failure policy decide immediately, without asking the engine, as if the engine had failed for this reason. */
    public EngineDecision standIn(Ask ask, String reason) {
        return new StandIn(ask).decide(reason);
    }

    @Override
    public CompletionStage<Boolean> giveBack(List<Charge> charges) {
        // After a late answer it is unknown which side granted a permit, so it is released on both.
        boolean heldHere =
                local.giveBackNow(charges.stream().filter(Charge::isHeld).toList());
        CompletionStage<Boolean> there = returns.giveBack(charges);
        return heldHere ? CompletableFuture.completedFuture(true) : there;
    }

    @Override
    public CompletionStage<Boolean> renew(Charge charge) {
        CompletionStage<Boolean> there;
        try {
            there = engine.renew(charge);
        } catch (RuntimeException e) {
            there = CompletableFuture.failedFuture(e);
        }
        return local.renewNow(charge) ? CompletableFuture.completedFuture(true) : there;
    }

    /** Settles with the engine only: a decision of the stand-in has no reservations, and the local counts keep the reserved permits. */
    @Override
    public CompletionStage<List<SettlementResult>> settle(List<Settlement> settlements) {
        try {
            return engine.settle(settlements);
        } catch (RuntimeException e) {
            return CompletableFuture.failedFuture(e);
        }
    }

    /**
     * Drops counts of keys that match. The local counts shadow the counts of the engine, so they are dropped but not added to the result.
     */
    @Override
    public long forget(KeyMatch match) {
        long unused = local.forget(match);
        return engine.forget(match);
    }

    @Override
    public void close() {
        returns.close();
        engine.close();
        local.close();
    }

    private Answer askEngine(Ask ask) {
        try {
            return engine.decide(ask);
        } catch (RuntimeException e) {
            return new EngineFailure(engine.name() + "-error", true);
        }
    }

    private CompletableFuture<Outcome> firstOf(Ask ask, StandIn standIn, PendingOutcome theirs) {
        Race race = new Race(ask, standIn);
        Clock.Alarm alarm = ask.deadlineNanos() == Ask.NO_DEADLINE
                ? () -> {}
                : clock.at(ask.deadlineNanos(), () -> strike(race, theirs));
        theirs.outcome().whenComplete((outcome, failure) -> {
            alarm.cancel();
            race.answered(outcome);
        });
        return race;
    }

    private void strike(Race race, PendingOutcome theirs) {
        try {
            theirs.afterArrivals().execute(race::deadlineReached);
        } catch (RejectedExecutionException e) {
            race.deadlineReached();
        }
    }

    /** The race between the engine's answer and the deadline. The first event counts; the engine's answer is handled once. */
    private final class Race extends CompletableFuture<Outcome> {

        private final Ask ask;
        private final StandIn standIn;
        private final AtomicBoolean heard = new AtomicBoolean();

        Race(Ask ask, StandIn standIn) {
            this.ask = ask;
            this.standIn = standIn;
        }

        void answered(@Nullable Outcome outcome) {
            if (!heard.compareAndSet(false, true)) {
                return;
            }
            if (!(outcome instanceof EngineDecision decided)) {
                standInUnlessDone(
                        outcome instanceof EngineFailure undecided ? undecided.reason() : engine.name() + "-error");
            } else if (complete(decided)) {
                standIn.notNeeded(decided);
            } else if (join() instanceof EngineDecision told && !told.allowed()) {
                // The caller was refused meanwhile, so the engine's charge for it is useless.
                List<Charge> charges = decided.charges(ask);
                if (!charges.isEmpty()) {
                    returns.giveBack(charges);
                }
            }
        }

        /**
         * Handles the deadline. It does not count a pause of this process, in which the question may not have been sent, as a failure of
         * the engine.
         */
        void deadlineReached() {
            boolean late = clock.nanoTime() - ask.deadlineNanos() > PAUSE_NANOS;
            standInUnlessDone(late ? PAUSED : engine.name() + "-timeout");
        }

        void standInUnlessDone(String reason) {
            if (!isDone()) {
                // If the engine wins the race after this, the stand-in's counts may stay charged: an error on the safe
                // side.
                complete(standIn.decide(reason));
            }
        }
    }

    /** Decides one ask if the engine does not. */
    private final class StandIn {

        private final Ask ask;

        /** The local verdict at the time the engine was asked about a single bucket; null for other asks. */
        private final @Nullable Verdict bucket;

        /** The local decision if the ask was not about a single bucket; null if the local counts do not follow this ask. */
        private final @Nullable EngineDecision local;

        StandIn(Ask ask) {
            this.ask = ask;
            boolean countsAlong = ask.onFailure() == FailurePolicy.LOCAL && ask.charges() && !holds(ask.demands());
            this.bucket = countsAlong ? passBucket(ask) : null;
            this.local = countsAlong && bucket == null ? decideLocally(ask) : null;
        }

        /** Called when the engine has decided. Gives back the local charge of a request that the engine refused. */
        void notNeeded(EngineDecision decided) {
            EngineDecision counted = decided.allowed() ? null : counted();
            if (counted != null && counted.allowed()) {
                FallbackEngine.this.local.giveBack(counted.charges(partOf(ask)));
            }
        }

        /** Returns the local decision at the time the engine was asked, or null if the local counts do not follow this ask. */
        private @Nullable EngineDecision counted() {
            if (bucket == null) {
                return local;
            }
            long at = bucket.chargedAtMicros();
            return new EngineDecision(
                    bucket.fits(), List.of(bucket), at == Verdict.FINAL ? clock.epochMicros() : at, null);
        }

        EngineDecision decide(String reason) {
            return switch (ask.onFailure()) {
                case OPEN -> answerAll(ask, null, reason);
                case CLOSED -> answerAll(ask, RETRY_MICROS, reason);
                case LOCAL -> {
                    EngineDecision counted = counted();
                    yield hopeful(counted != null ? counted : decideLocally(ask), reason);
                }
            };
        }

        private EngineDecision hopeful(EngineDecision decided, String reason) {
            List<Verdict> verdicts = new ArrayList<>(decided.verdicts().size());
            for (int i = 0; i < decided.verdicts().size(); i++) {
                verdicts.add(FallbackEngine.hopeful(
                        decided.verdicts().get(i), ask.demands().get(i)));
            }
            return new EngineDecision(decided.allowed(), verdicts, decided.atMicros(), reason);
        }
    }

    private static boolean holds(List<Demand> demands) {
        for (Demand demand : demands) {
            if (demand.limit().kind().holds()) {
                return true;
            }
        }
        return false;
    }

    /** Records the ask in the local counts in the fastest way, which exists for the most common ask. Returns null for any other ask. */
    private @Nullable Verdict passBucket(Ask ask) {
        Demand demand = ask.demands().size() == 1 ? ask.demands().get(0) : null;
        if (demand == null
                || demand.atLeast() != demand.permits()
                || demand.maxWaitMicros() != 0
                || !demand.isCharged()) {
            return null;
        }
        ScaledLimit scaledLimit = scaledLimit(demand.limit(), ask.localShare());
        Gates gates = scaledLimit.gates;
        return gates == null ? null : gates.pass(demand.key(), demand.permits(), demand.keepOf(scaledLimit.part));
    }

    private EngineDecision decideLocally(Ask ask) {
        return local.decide(partOf(ask)) instanceof EngineDecision decided
                ? decided
                : answerAll(ask, RETRY_MICROS, local.name());
    }

    /** Returns the same ask for this process's share of the limits. */
    private Ask partOf(Ask ask) {
        List<Demand> parts = new ArrayList<>(ask.demands().size());
        for (Demand demand : ask.demands()) {
            parts.add(demand.on(scaledLimit(demand.limit(), ask.localShare()).part));
        }
        return new Ask(parts, ask.purpose(), ask.deadlineNanos(), ask.onFailure(), ask.localShare(), ask.ruleVersion());
    }

    /**
     * Returns a verdict with a retry time. The whole limit may hold permits that the local share never will, so the caller may retry once
     * the engine is available again.
     */
    private static Verdict hopeful(Verdict verdict, Demand demand) {
        return verdict.retryAfterMicros() == Verdict.NEVER
                        && demand.needed() <= demand.limit().capacity()
                ? new Verdict(
                        false,
                        0,
                        verdict.remaining(),
                        RETRY_MICROS,
                        verdict.resetAfterMicros(),
                        0,
                        0,
                        verdict.keptForOthers())
                : verdict;
    }

    /** Allows or refuses every demand. Demands that a limit could never hold are refused in any case. */
    private EngineDecision answerAll(Ask ask, @Nullable Long refusedForMicros, String reason) {
        long now = clock.epochMicros();
        boolean allowed = refusedForMicros == null;
        for (Demand demand : ask.demands()) {
            allowed &= demand.needed() <= demand.limit().capacity();
        }
        List<Verdict> verdicts = new ArrayList<>(ask.demands().size());
        for (Demand demand : ask.demands()) {
            long capacity = demand.limit().capacity();
            boolean possible = demand.needed() <= capacity;
            boolean fits = possible && refusedForMicros == null;
            long retry = fits ? 0 : possible && refusedForMicros != null ? refusedForMicros : Verdict.NEVER;
            long granted = allowed && ask.charges() ? Math.min(demand.permits(), capacity - demand.keep()) : 0;
            verdicts.add(new Verdict(fits, granted, fits ? capacity : 0, retry, fits ? 0 : retry, 0, now));
        }
        return new EngineDecision(allowed, verdicts, now, reason);
    }

    @SuppressWarnings("ReferenceEquality") // the same limits recur, and a full comparison costs more
    private ScaledLimit scaledLimit(Limit limit, double share) {
        ScaledLimit last = lastScaled;
        if (last.whole == limit && last.share == share) {
            return last;
        }
        if (scaled.size() > SCALED_LIMITS_KEPT) {
            scaled.clear();
        }
        Share asked = new Share(limit, share);
        ScaledLimit scaledLimit = scaled.get(asked);
        if (scaledLimit == null) {
            scaledLimit = scaled.computeIfAbsent(asked, this::newScaledLimit);
        }
        lastScaled = scaledLimit;
        return scaledLimit;
    }

    private ScaledLimit newScaledLimit(Share share) {
        Limit part = share.limit.scaled(share.share);
        boolean prompt = part instanceof TokenBucket && part.maxWaitMicros() == 0;
        return new ScaledLimit(share.limit, share.share, part, prompt ? local.gates(part) : null);
    }

    /**
     * @param gates the fastest access to the counts of the part, if it is a bucket without later time slots
     */
    private record ScaledLimit(
            Limit whole, double share, Limit part, @Nullable Gates gates) {}

    private record Share(Limit limit, double share) {}
}
