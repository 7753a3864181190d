package io.sluice.core;

import io.sluice.core.spi.Answer;
import io.sluice.core.spi.Ask;
import io.sluice.core.spi.Decided;
import io.sluice.core.spi.Demand;
import io.sluice.core.spi.Engine;
import io.sluice.core.spi.FailurePolicy;
import io.sluice.core.spi.Outcome;
import io.sluice.core.spi.Pending;
import io.sluice.core.time.Clock;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Decides whether requests may pass. Safe for use by many threads; make one and share it.
 *
 * <pre>{@code
 * Limiter limiter = Limiter.inProcess();
 * Limit perUser = Limit.named("orders").tokenBucket(Rate.perSecond(50)).withBurst(100);
 *
 * Decision decision = limiter.decide(perUser, userId, 1);
 * if (!decision.allowed()) {
 *     return tooManyRequests(decision.retryAfter());
 * }
 * }</pre>
 *
 * <p>A decision over several limits is all or nothing: every limit passes and every one is charged, or one refuses and none is
 * charged. No method throws because an engine failed; such a decision is {@linkplain Decision#degraded() degraded}.
 */
public final class Limiter implements AutoCloseable {

    /** How long a decision may take before the failure policy makes it. */
    public static final Duration DEFAULT_DEADLINE = Duration.ofMillis(20);

    private static final System.Logger LOG = System.getLogger(Limiter.class.getName());

    private final Engine engine;
    private final Clock clock;
    private final List<DecisionListener> listeners;
    private final AtomicBoolean listenerFailed = new AtomicBoolean();

    /** A limiter over any engine, that always answers in time and tells the listeners. */
    public Limiter(Engine engine, Clock clock, List<DecisionListener> listeners) {
        this.engine = engine instanceof LocalEngine ? engine : new FallbackEngine(engine, clock);
        this.clock = clock;
        this.listeners = List.copyOf(listeners);
    }

    /** A limiter that counts in this process. */
    public static Limiter inProcess() {
        Clock clock = Clock.system();
        return new Limiter(new LocalEngine(clock), clock, List.of());
    }

    /** Decides for one limit and charges it if allowed. */
    public Decision decide(Limit limit, String key, long permits) {
        return decide(List.of(Demand.of(limit, key, permits)));
    }

    /** Decides for several limits at once, all or nothing. */
    public Decision decide(List<Demand> demands) {
        return decide(ask(demands));
    }

    /** Says what {@link #decide(List)} would, and charges nothing. */
    public Decision look(List<Demand> demands) {
        return decide(ask(demands).looking());
    }

    /** Decides an ask; blocks until its deadline at most. */
    public Decision decide(Ask ask) {
        long start = clock.nanoTime();
        Answer answer = engine.decide(ask);
        Outcome outcome = answer instanceof Pending pending
                ? pending.outcome().toCompletableFuture().join()
                : (Outcome) answer;
        return decision(ask, outcome, start);
    }

    /** Decides an ask without blocking; the stage never completes exceptionally. */
    public CompletionStage<Decision> decideAsync(Ask ask) {
        long start = clock.nanoTime();
        Answer answer = engine.decide(ask);
        return answer instanceof Pending pending
                ? pending.outcome().thenApply(outcome -> decision(ask, outcome, start))
                : CompletableFuture.completedFuture(decision(ask, (Outcome) answer, start));
    }

    /** Gives back what a decision charged, as far as it still counts. At most once for a decision. */
    public CompletionStage<Void> giveBack(Decision decision) {
        return engine.giveBack(decision.outcome().charges(decision.ask()));
    }

    /** The moment by which a decision asked for now has to be made, for {@link Ask#dueAt}; at most a thousand days off. */
    public long dueIn(Duration deadline) {
        return clock.nanoTime() + Expect.wait("deadline", deadline) * 1_000;
    }

    @Override
    public void close() {
        engine.close();
    }

    private Ask ask(List<Demand> demands) {
        return Ask.charging(demands).dueAt(dueIn(DEFAULT_DEADLINE));
    }

    private Decision decision(Ask ask, Outcome outcome, long startNanos) {
        Decision decision = new Decision(ask, outcome instanceof Decided decided ? decided : shutDown(ask));
        if (!listeners.isEmpty()) {
            tell(decision, clock.nanoTime() - startNanos);
        }
        return decision;
    }

    /** Only a closed in-process engine leaves an ask undecided. */
    private Decided shutDown(Ask ask) {
        boolean open = ask.onFailure() == FailurePolicy.OPEN;
        return new Decided(open, List.of(), clock.epochMicros(), "closed");
    }

    private void tell(Decision decision, long elapsedNanos) {
        for (DecisionListener listener : listeners) {
            try {
                listener.decided(decision, elapsedNanos);
            } catch (RuntimeException e) {
                if (listenerFailed.compareAndSet(false, true)) {
                    LOG.log(Level.WARNING, "a decision listener failed; further failures are not logged", e);
                }
            }
        }
    }
}
