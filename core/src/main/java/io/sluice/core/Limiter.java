package io.sluice.core;

import io.sluice.core.decorator.FallbackEngine;
import io.sluice.core.internal.Expect;
import io.sluice.core.limit.Concurrency;
import io.sluice.core.limit.Limit;
import io.sluice.core.local.LocalEngine;
import io.sluice.core.spi.Answer;
import io.sluice.core.spi.Ask;
import io.sluice.core.spi.Charge;
import io.sluice.core.spi.Demand;
import io.sluice.core.spi.Engine;
import io.sluice.core.spi.FailurePolicy;
import io.sluice.core.spi.Outcome;
import io.sluice.core.spi.PendingOutcome;
import io.sluice.core.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;

/**
 * Decides whether requests may pass. Safe for use by many threads; make one and share it.
 *
 * <pre>{@code
 * Limiter limiter = Limiter.inProcess();
 * Limit perUser = Limit.named("orders").tokenBucket(Rate.perSecond(50)).withBurst(100);
 *
 * Decision decision = limiter.decide(perUser, userId);
 * if (!decision.allowed()) {
 *     return tooManyRequests(decision.retryAfter());
 * }
 *
 * Order order = limiter.run(perUser, userId, () -> orders.create(cart)); // or LimitExceededException
 * }</pre>
 *
 * <p>A decision over several limits ({@link KeyedLimits}) is all or nothing: every limit passes and every one is charged, or one
 * refuses and none is charged. No method throws because an engine failed; such a decision is {@linkplain Decision#degraded()
 * degraded}.
 *
 * <h2>Threads</h2>
 *
 * <p>A method that ends in {@code Async} and takes an {@link Executor} completes its future there. The others complete it on the
 * thread that brought the answer: the caller's own if the engine knows at once, else the thread that reads from the store, the
 * thread of an alarm, or the thread of a caller who gave permits back. What depends on such a future has to be short and must not
 * block.
 *
 * <h2>Waiting</h2>
 *
 * <p>{@code acquire} waits for the moment to go on, {@code maxWait} at most; it is refused as soon as it is known that the moment
 * will not come by then. {@code maxWait} counts in whole microseconds, and an answer is there at the latest when it has passed
 * and the engine has had its deadline for one more decision.
 *
 * <ul>
 *   <li>Token and leaky buckets have time slots: one is reserved with a single ask, wherever the counts live, and the
 *       caller waits for it. A leaky bucket says itself how many may wait and for how long: what it refuses is refused.
 *   <li>For other limits, and as soon as one of several demands is on such a limit, callers of this limiter stand in line for
 *       a count. The first asks, and asks again at the moment that the refusal named, or when something was given
 *       back through this limiter. A give-back elsewhere is noticed then, or at the end of the wait of the first. Whoever waits
 *       for permits of a {@link Concurrency} limit does not know when they come back: where counts are shared, the first asks after
 *       50 ms, and less and less often, every 250 ms in the end, so that a release elsewhere is noticed as soon.
 *   <li>First come, first served: whoever wants a count for which others wait queues behind them, even if there is room for
 *       him. Whoever has several counts waits for the one that keeps him longest, and changes lines without losing his
 *       place before those who came later. {@code decide} and {@code look} do not queue: they may overtake.
 *   <li>Listeners are told once, of the last decision, with the whole wait; of one that was cancelled they hear nothing.
 * </ul>
 *
 * <p>A future is cancelled, or completed in any other way, to leave: what was charged is given back and the place is free. (A
 * stage that depends on it is another future: cancelling that one does nothing here.) There is no thread for a waiter;
 * what depends on the future runs on the thread that brought the answer, an alarm's or that of somebody who gave back. It
 * has to be short and must not wait, or be run elsewhere with the {@code …Async} methods of the future.
 */
public final class Limiter implements AutoCloseable {

    /** How long a decision may take before the failure policy makes it. */
    public static final Duration DEFAULT_DEADLINE = Ask.DEFAULT_DEADLINE;

    private final Engine engine;
    private final Clock clock;
    private final DecisionListeners listeners;
    private final WaitScheduler waiting;
    private final HeldPermits permits;

    /** A limiter over any engine, that always answers in time and tells the listeners. */
    public Limiter(Engine engine, Clock clock, List<DecisionListener> listeners) {
        this.engine = engine instanceof LocalEngine ? engine : new FallbackEngine(engine, clock);
        this.clock = clock;
        this.listeners = new DecisionListeners(listeners);
        this.waiting = new WaitScheduler(this.engine, clock, this.listeners);
        this.permits = new HeldPermits(this.engine, waiting, clock);
    }

    /** A limiter that counts in this process. */
    public static Limiter inProcess() {
        Clock clock = Clock.system();
        return new Limiter(new LocalEngine(clock), clock, List.of());
    }

    /** Decides for one permit of one limit and charges it if allowed. */
    public Decision decide(Limit limit, String key) {
        return decide(limit, key, 1);
    }

    /** Decides for one limit and charges it if allowed. */
    public Decision decide(Limit limit, String key, long permits) {
        return decide(List.of(Demand.of(limit, key, permits)));
    }

    /** Decides for several limits at once, all or nothing. */
    public Decision decide(KeyedLimits limits) {
        return decide(limits.demands());
    }

    /** Says what {@link #decide(KeyedLimits)} would, and charges nothing. */
    public Decision look(KeyedLimits limits) {
        return look(limits.demands());
    }

    /** Decides for several limits at once, without blocking; the future completes on the executor and never fails. */
    public CompletableFuture<Decision> decideAsync(KeyedLimits limits, Executor executor) {
        CompletableFuture<Decision> told = new CompletableFuture<>();
        decideAsync(prompt(limits.demands(), Ask.Purpose.CHARGE))
                .whenCompleteAsync((decision, failure) -> told.complete(decision), executor);
        return told;
    }

    /**
     * Makes a call if a permit is there now. A permit of a {@link Concurrency} limit is held until the call has returned or thrown.
     *
     * @throws LimitExceededException if the call is refused; it was not made
     */
    public <T> T run(Limit limit, String key, Supplier<T> call) {
        return run(KeyedLimits.of(limit, key), call);
    }

    /**
     * Makes a call if all limits let it pass now. Permits of {@link Concurrency} limits are held until the call has returned or
     * thrown.
     *
     * @throws LimitExceededException if the call is refused; it was not made
     */
    public <T> T run(KeyedLimits limits, Supplier<T> call) {
        try (Hold ignored = passed(decide(limits.now()))) {
            return call.get();
        }
    }

    /** The same as {@link #run(Limit, String, Supplier)}, for a call that returns nothing. */
    public void run(Limit limit, String key, Runnable call) {
        run(limit, key, () -> {
            call.run();
            return Boolean.TRUE;
        });
    }

    /**
     * The same as {@link #run(Limit, String, Supplier)}, for a call that may throw anything.
     *
     * @throws LimitExceededException if the call is refused; it was not made
     * @throws Exception what the call throws
     */
    public <T> T call(Limit limit, String key, Callable<T> call) throws Exception {
        return call(KeyedLimits.of(limit, key), call);
    }

    /**
     * The same as {@link #run(KeyedLimits, Supplier)}, for a call that may throw anything.
     *
     * @throws LimitExceededException if the call is refused; it was not made
     * @throws Exception what the call throws
     */
    public <T> T call(KeyedLimits limits, Callable<T> call) throws Exception {
        try (Hold ignored = passed(decide(limits.now()))) {
            return call.call();
        }
    }

    /**
     * Waits for a permit and then makes a call; see {@linkplain Limiter above} for how it waits.
     *
     * @throws LimitExceededException if the permit does not come within {@code maxWait}; the call was not made
     * @throws InterruptedException if the thread was interrupted while it waited; the call was not made
     */
    public <T> T run(Limit limit, String key, Duration maxWait, Supplier<T> call) throws InterruptedException {
        return run(KeyedLimits.of(limit, key), maxWait, call);
    }

    /**
     * Waits for several limits at once and then makes a call; see {@linkplain Limiter above} for how it waits.
     *
     * @throws LimitExceededException if they do not all pass within {@code maxWait}; the call was not made
     * @throws InterruptedException if the thread was interrupted while it waited; the call was not made
     */
    public <T> T run(KeyedLimits limits, Duration maxWait, Supplier<T> call) throws InterruptedException {
        try (Hold ignored = passed(acquire(limits.demands(), maxWait))) {
            return call.get();
        }
    }

    /**
     * Waits for a permit without blocking and then starts a call on the executor; see {@linkplain Limiter above} for how it waits.
     *
     * @param maxWait zero for a call that is made now or not at all
     * @return what the call completes with, or a {@link LimitExceededException}; it completes on the thread that completes the
     *     call. Cancelling it gives up the wait; a call that was started goes on
     */
    public <T> CompletableFuture<T> runAsync(
            Limit limit, String key, Duration maxWait, Supplier<? extends CompletionStage<T>> call, Executor executor) {
        return runAsync(KeyedLimits.of(limit, key), maxWait, call, executor);
    }

    /** Waits for several limits at once, as {@link #runAsync(Limit, String, Duration, Supplier, Executor)} does for one. */
    public <T> CompletableFuture<T> runAsync(
            KeyedLimits limits, Duration maxWait, Supplier<? extends CompletionStage<T>> call, Executor executor) {
        return new LimitedStage<T>(this, executor).start(acquireAsync(limits.demands(), maxWait), call);
    }

    /** Decides for several limits at once, all or nothing. */
    public Decision decide(List<Demand> demands) {
        return decide(prompt(demands, Ask.Purpose.CHARGE));
    }

    /** Says what {@link #decide(List)} would, and charges nothing. */
    public Decision look(List<Demand> demands) {
        return decide(prompt(demands, Ask.Purpose.LOOK));
    }

    /** Decides an ask; blocks until its deadline at most. */
    public Decision decide(Ask ask) {
        long start = startNanos();
        Answer answer = engine.decide(ask);
        Outcome outcome = answer instanceof PendingOutcome pending
                ? pending.outcome().toCompletableFuture().join()
                : (Outcome) answer;
        return decision(ask, outcome, start);
    }

    /** Decides an ask without blocking; the stage never completes exceptionally. */
    public CompletionStage<Decision> decideAsync(Ask ask) {
        long start = startNanos();
        Answer answer = engine.decide(ask);
        return answer instanceof PendingOutcome pending
                ? pending.outcome().thenApply(outcome -> decision(ask, outcome, start))
                : CompletableFuture.completedFuture(decision(ask, (Outcome) answer, start));
    }

    /** Waits for several limits at once, all or nothing; see {@linkplain Limiter above}. */
    public Decision acquire(KeyedLimits limits, Duration maxWait) throws InterruptedException {
        return acquire(limits.demands(), maxWait);
    }

    /**
     * Waits for several limits at once without blocking; see {@linkplain Limiter above}. The future completes on the executor.
     * Cancelling it gives up the wait and returns any permits that were charged.
     */
    public CompletableFuture<Decision> acquireAsync(KeyedLimits limits, Duration maxWait, Executor executor) {
        return on(executor, acquireAsync(limits.demands(), maxWait), waiting::giveBack);
    }

    /** Waits for one limit; see {@linkplain Limiter above}. */
    public Decision acquire(Limit limit, String key, long permits, Duration maxWait) throws InterruptedException {
        return acquire(List.of(Demand.of(limit, key, permits)), maxWait);
    }

    /** Waits for several limits at once, all or nothing; see {@linkplain Limiter above}. */
    public Decision acquire(List<Demand> demands, Duration maxWait) throws InterruptedException {
        return acquire(ask(demands), maxWait);
    }

    /**
     * Waits until an ask is allowed; see {@linkplain Limiter above}. From now to the ask's deadline is the time that the engine
     * has for each decision on the way.
     *
     * @return allowed, and it is time to go on; or refused
     * @throws InterruptedException if the thread was interrupted; what was charged is given back
     */
    public Decision acquire(Ask ask, Duration maxWait) throws InterruptedException {
        return await(ask, maxWait, Function.identity(), waiting::giveBack);
    }

    /** Waits for one limit without blocking; see {@linkplain Limiter above}. */
    public CompletableFuture<Decision> acquireAsync(Limit limit, String key, long permits, Duration maxWait) {
        return acquireAsync(List.of(Demand.of(limit, key, permits)), maxWait);
    }

    /** Waits for several limits at once, all or nothing, without blocking; see {@linkplain Limiter above}. */
    public CompletableFuture<Decision> acquireAsync(List<Demand> demands, Duration maxWait) {
        return acquireAsync(ask(demands), maxWait);
    }

    /** Waits without blocking until an ask is allowed, as {@link #acquire(Ask, Duration)} does; never fails by itself. */
    public CompletableFuture<Decision> acquireAsync(Ask ask, Duration maxWait) {
        return waiting.start(ask, maxWait, Function.identity());
    }

    /** Takes permits that are held until the result is closed; refused if they are not there now. */
    public Hold hold(Concurrency limit, String key, long permits) {
        return hold(decide(limit, key, permits));
    }

    /** Waits for permits that are held until the result is closed; see {@linkplain Limiter above}. */
    public Hold hold(Concurrency limit, String key, long permits, Duration maxWait) throws InterruptedException {
        return await(ask(List.of(Demand.of(limit, key, permits))), maxWait, this::hold, Hold::close);
    }

    /** Waits without blocking for permits that are held until the result is closed; see {@linkplain Limiter above}. */
    public CompletableFuture<Hold> holdAsync(Concurrency limit, String key, long permits, Duration maxWait) {
        return waiting.start(ask(List.of(Demand.of(limit, key, permits))), maxWait, this::hold);
    }

    /**
     * Waits without blocking for permits that are held until the result is closed; see {@linkplain Limiter above}. The future
     * completes on the executor. Cancelling it gives up the wait and returns the permits.
     */
    public CompletableFuture<Hold> holdAsync(
            Concurrency limit, String key, long permits, Duration maxWait, Executor executor) {
        return on(executor, holdAsync(limit, key, permits, maxWait), Hold::close);
    }

    /**
     * What a decision of this limiter lets its caller hold: of the limits it was about, the permits of {@link Concurrency}
     * limits. Only these are given back when it is closed. Once for a decision.
     */
    public Hold hold(Decision decision) {
        return new Hold(decision, waiting, permits);
    }

    /** Gives back what a decision charged, as far as it still counts. At most once for a decision. */
    public CompletionStage<Void> giveBack(Decision decision) {
        return waiting.giveBack(decision);
    }

    /**
     * Renews permits that are known by their charges alone: for who handed them out to somebody elsewhere, and for other processes
     * that share the counts. The stage says whether all of them were still held, and completes exceptionally if the engine does
     * not say in time.
     */
    public CompletionStage<Boolean> renew(List<Charge> held, Duration atMost) {
        return permits.renew(held, atMost);
    }

    /**
     * Gives permits back that are known by their charges alone. The stage says whether any of them was still held, and completes
     * exceptionally if the engine does not say in time; then they may be held until their time is over.
     */
    public CompletionStage<Boolean> release(List<Charge> held, Duration atMost) {
        return permits.release(held, atMost);
    }

    /** The moment by which a decision asked for now has to be made, for {@link Ask#dueAt}; at most a thousand days off. */
    public long dueIn(Duration deadline) {
        return clock.nanoTime() + Expect.wait("deadline", deadline) * 1_000;
    }

    /** Closes the engine. Those who wait are answered at once: refused, unless their failure policy lets them pass. */
    @Override
    public void close() {
        engine.close();
        waiting.close();
    }

    /** For tests: how many wait in how many lines. */
    WaitQueues lines() {
        return waiting.lines();
    }

    private <T> T await(Ask ask, Duration maxWait, Function<Decision, T> as, Consumer<T> undo)
            throws InterruptedException {
        if (Thread.interrupted()) {
            throw new InterruptedException();
        }
        return WaitScheduler.await(waiting.start(ask, maxWait, as), undo);
    }

    private Hold passed(Decision decision) {
        if (!decision.allowed()) {
            throw new LimitExceededException(decision);
        }
        return hold(decision);
    }

    /** Completes on the executor; leaving the result leaves the place, and a place that came too late is undone. */
    private static <T> CompletableFuture<T> on(Executor executor, CompletableFuture<T> place, Consumer<T> undo) {
        CompletableFuture<T> told = new CompletableFuture<>();
        CompletionStage<T> left = told;
        left.whenComplete((value, failure) -> place.cancel(false));
        CompletionStage<T> came = place;
        came.whenCompleteAsync(
                (value, failure) -> {
                    if (failure != null) {
                        told.completeExceptionally(failure);
                    } else if (!told.complete(value)) {
                        undo.accept(value);
                    }
                },
                executor);
        return told;
    }

    private Ask ask(List<Demand> demands) {
        return Ask.charging(demands).dueAt(dueIn(DEFAULT_DEADLINE));
    }

    /** An ask that is not waited for. The engine of this process answers at once and needs no deadline, nor a clock read for it. */
    private Ask prompt(List<Demand> demands, Ask.Purpose purpose) {
        long due = engine instanceof LocalEngine ? Ask.NO_DEADLINE : dueIn(DEFAULT_DEADLINE);
        return new Ask(demands, purpose, due, FailurePolicy.LOCAL, Ask.DEFAULT_LOCAL_SHARE, 0);
    }

    /** When a decision began, if somebody wants to know how long it took. */
    private long startNanos() {
        return listeners.isEmpty() ? 0 : clock.nanoTime();
    }

    private Decision decision(Ask ask, Outcome outcome, long startNanos) {
        Decision decision = Decision.of(ask, outcome, clock);
        if (!listeners.isEmpty()) {
            listeners.tell(decision, clock.nanoTime() - startNanos);
        }
        return decision;
    }
}
