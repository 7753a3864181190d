package io.sluice.core;

import io.sluice.core.decorator.FallbackEngine;
import io.sluice.core.internal.Expect;
import io.sluice.core.limit.Concurrency;
import io.sluice.core.limit.Limit;
import io.sluice.core.local.Buckets;
import io.sluice.core.local.LocalEngine;
import io.sluice.core.spi.Answer;
import io.sluice.core.spi.Ask;
import io.sluice.core.spi.Charge;
import io.sluice.core.spi.Demand;
import io.sluice.core.spi.Engine;
import io.sluice.core.spi.EngineDecision;
import io.sluice.core.spi.FailurePolicy;
import io.sluice.core.spi.KeyMatch;
import io.sluice.core.spi.Outcome;
import io.sluice.core.spi.PendingOutcome;
import io.sluice.core.spi.Settlement;
import io.sluice.core.spi.SettlementResult;
import io.sluice.core.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Decides whether requests may pass. Thread-safe: create one limiter and share it.
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
 * <p>A decision over several limits ({@link KeyedLimits}) is all or nothing: either every limit passes and every limit is
 * charged, or one limit refuses and none is charged. No method throws because an engine failed; the decision is
 * {@linkplain Decision#degraded() degraded} instead.
 *
 * <h2>Threads</h2>
 *
 * <p>A method that ends in {@code Async} and takes an {@link Executor} completes its future on that executor. The other methods complete it
 * on the thread that delivers the answer: the caller's own thread if the engine answers immediately, otherwise the thread that reads from
 * the store, a timer thread, or the thread of another caller that returned permits. Callbacks on such a future must be short and must not
 * block.
 *
 * <h2>Waiting</h2>
 *
 * <p>{@code acquire} waits until the caller may proceed, but no longer than {@code maxWait}. It refuses as soon as it is clear
 * that the caller cannot proceed by then. {@code maxWait} is counted in whole microseconds. The answer arrives, at the latest,
 * after {@code maxWait} plus the engine's deadline for one more decision.
 *
 * <ul>
 *   <li>Token and leaky buckets have time slots. The limiter reserves a slot with a single ask, for counts in any place, and the caller
 *       waits for it. A leaky bucket itself defines the number of waiting callers and their maximum wait; a caller that it refuses does not
 *       wait.
 *   <li>For other limits, and as soon as one of several demands is on such a limit, the callers of this limiter queue for a count. The
 *       first caller in the queue asks. It asks again at the moment that the refusal named, or when permits are returned through this
 *       limiter. Permits returned elsewhere are noticed at that moment, or when the first caller's wait ends. A {@link Concurrency} limit
 *       cannot predict when its permits will come back. If its counts are shared, the first caller therefore asks again after 50 ms and
 *       then at growing intervals up to 250 ms, so a release elsewhere is noticed within that time.
 *   <li>The order is first come, first served: a caller that wants a count for which others are waiting queues behind them, even if there
 *       is room for its request. A caller with several counts waits for the count that delays it longest. It may move to another queue, and
 *       it stays ahead of all later callers. {@code decide} and {@code look} do not queue and may overtake.
 *   <li>Listeners are notified once, of the final decision, with the whole wait. They are not notified of a cancelled wait.
 * </ul>
 *
 * <p>To stop waiting, cancel the future or complete it in any other way. The limiter then gives back any permits that were charged and
 * frees the place in the queue. (A stage that depends on the future is a different future: cancelling that stage has no effect here.)
 * Waiting uses no thread. Callbacks on the future run on the thread that delivers the answer: a timer thread, or the thread of a caller
 * that returned permits. They must be short and must not wait; to run them on another thread, use the future's {@code …Async} methods.
 */
public final class Limiter implements AutoCloseable {

    /** The time a decision may take before the failure policy decides. */
    public static final Duration DEFAULT_DEADLINE = Ask.DEFAULT_DEADLINE;

    private final Engine engine;
    private final Clock clock;
    private final DecisionListeners listeners;
    private final WaitScheduler waiting;
    private final HeldPermits permits;
    private final Duration deadline;
    private final FailurePolicy onFailure;

    /** Creates a limiter over any engine. It always answers in time and notifies the listeners of its decisions. */
    public Limiter(Engine engine, Clock clock, List<DecisionListener> listeners) {
        this(engine, clock, listeners, DEFAULT_DEADLINE, FailurePolicy.LOCAL);
    }

    /**
     * Creates a limiter whose decisions have another deadline and failure policy, unless a decision says otherwise.
     *
     * @param deadline the time that a shared engine has for a decision; at most 1000 days
     * @param onFailure the policy that decides if a shared engine does not
     */
    public Limiter(
            Engine engine, Clock clock, List<DecisionListener> listeners, Duration deadline, FailurePolicy onFailure) {
        Expect.wait("deadline", deadline);
        this.engine = engine instanceof LocalEngine ? engine : new FallbackEngine(engine, clock);
        this.clock = clock;
        this.listeners = new DecisionListeners(listeners);
        this.waiting = new WaitScheduler(this.engine, clock, this.listeners);
        this.permits = new HeldPermits(this.engine, waiting, clock);
        this.deadline = deadline;
        this.onFailure = Objects.requireNonNull(onFailure, "onFailure");
    }

    /** Creates a limiter that counts in this process. */
    public static Limiter inProcess() {
        Clock clock = Clock.system();
        return new Limiter(new LocalEngine(clock), clock, List.of());
    }

    /** Takes one permit of a limit that has a single count for all callers, see {@link #tryAcquire(Limit, String)}. */
    public boolean tryAcquire(Limit limit) {
        return tryAcquire(limit, "");
    }

    /**
     * Takes one permit and returns true if it is available now, without a later time slot.
     *
     * @throws IllegalArgumentException if the limit is a {@link Concurrency} limit. Its permit would be held until it expires: use
     *     {@link #run(Limit, String, Supplier)} or {@link #hold(Concurrency, String, long)}
     */
    public boolean tryAcquire(Limit limit, String key) {
        if (limit instanceof Concurrency) {
            throw new IllegalArgumentException(
                    limit + ": tryAcquire would not return the permit (expected: run or hold, which do)");
        }
        return decideNow(limit, key).allowed();
    }

    /** Decides about one permit of one limit and charges it if allowed. */
    public Decision decide(Limit limit, String key) {
        return decide(limit, key, 1);
    }

    /** Decides about permits of one limit and charges them if allowed. */
    public Decision decide(Limit limit, String key, long permits) {
        long start = startNanos();
        Decision decision = decideOnBucket(limit, key, permits);
        return decision == null
                ? decide(prompt(KeyedLimits.of(limit, key, permits), Ask.Purpose.CHARGE))
                : told(decision, start);
    }

    /** Decides about several limits together, all or nothing. */
    public Decision decide(KeyedLimits limits) {
        return engine instanceof LocalEngine ? decide(limits.demands()) : decide(prompt(limits, Ask.Purpose.CHARGE));
    }

    /** Returns the decision that {@link #decide(KeyedLimits)} would make, without charging any limit. */
    public Decision look(KeyedLimits limits) {
        return decide(prompt(limits, Ask.Purpose.LOOK));
    }

    /** Decides about one permit of one limit without blocking. The future never fails. */
    public CompletableFuture<Decision> decideAsync(Limit limit, String key) {
        return decideAsync(KeyedLimits.of(limit, key));
    }

    /** Decides about several limits together, without blocking. The future never fails. */
    public CompletableFuture<Decision> decideAsync(KeyedLimits limits) {
        return decideAsync(limits, Runnable::run);
    }

    /** Decides about several limits together, without blocking. The future completes on the executor and never fails. */
    public CompletableFuture<Decision> decideAsync(KeyedLimits limits, Executor executor) {
        CompletableFuture<Decision> told = new CompletableFuture<>();
        decideAsync(prompt(limits, Ask.Purpose.CHARGE))
                .whenCompleteAsync((decision, failure) -> told.complete(decision), executor);
        return told;
    }

    /**
     * Makes a call if a permit is available now. A permit of a {@link Concurrency} limit is held until the call returns or
     * throws.
     *
     * @throws LimitExceededException if the call is refused; it was not made
     */
    public <T> T run(Limit limit, String key, Supplier<T> call) {
        try (Hold ignored = passed(decideNow(limit, key))) {
            return call.get();
        }
    }

    /**
     * Makes a call if all limits let it pass now. Permits of {@link Concurrency} limits are held until the call returns or
     * throws.
     *
     * @throws LimitExceededException if the call is refused; it was not made
     */
    public <T> T run(KeyedLimits limits, Supplier<T> call) {
        try (Hold ignored = passed(decide(limits.now()))) {
            return call.get();
        }
    }

    /** Like {@link #run(Limit, String, Supplier)}, for a call that returns nothing. */
    public void run(Limit limit, String key, Runnable call) {
        run(limit, key, () -> {
            call.run();
            return Boolean.TRUE;
        });
    }

    /**
     * Like {@link #run(Limit, String, Supplier)}, for a call that may throw a checked exception.
     *
     * @throws LimitExceededException if the call is refused; it was not made
     * @throws Exception any exception that the call throws
     */
    public <T> T call(Limit limit, String key, Callable<T> call) throws Exception {
        try (Hold ignored = passed(decideNow(limit, key))) {
            return call.call();
        }
    }

    /**
     * Like {@link #run(KeyedLimits, Supplier)}, for a call that may throw a checked exception.
     *
     * @throws LimitExceededException if the call is refused; it was not made
     * @throws Exception any exception that the call throws
     */
    public <T> T call(KeyedLimits limits, Callable<T> call) throws Exception {
        try (Hold ignored = passed(decide(limits.now()))) {
            return call.call();
        }
    }

    /**
     * Waits for a permit and then makes a call. See {@linkplain Limiter above} for how it waits.
     *
     * @throws LimitExceededException if no permit becomes available within {@code maxWait}; the call was not made
     * @throws InterruptedException if the thread was interrupted while it waited; the call was not made
     */
    public <T> T run(Limit limit, String key, Duration maxWait, Supplier<T> call) throws InterruptedException {
        return run(KeyedLimits.of(limit, key), maxWait, call);
    }

    /**
     * Waits for several limits together and then makes a call. See {@linkplain Limiter above} for how it waits.
     *
     * @throws LimitExceededException if not all limits let it pass within {@code maxWait}; the call was not made
     * @throws InterruptedException if the thread was interrupted while it waited; the call was not made
     */
    public <T> T run(KeyedLimits limits, Duration maxWait, Supplier<T> call) throws InterruptedException {
        try (Hold ignored = passed(acquire(limits, maxWait))) {
            return call.get();
        }
    }

    /**
     * Waits for a permit without blocking and then starts a call on the executor. See {@linkplain Limiter above} for how it
     * waits.
     *
     * @param maxWait the maximum wait; zero for a call that is made now or not at all
     * @return a future of the call's result, or of a {@link LimitExceededException}. It completes on the thread that completes
     *     the call. Cancelling it gives up the wait, but does not stop a call that has started
     */
    public <T> CompletableFuture<T> runAsync(
            Limit limit, String key, Duration maxWait, Supplier<? extends CompletionStage<T>> call, Executor executor) {
        return runAsync(KeyedLimits.of(limit, key), maxWait, call, executor);
    }

    /** Waits for a permit and then starts a call on the thread that delivers the permit; the call must not block. */
    public <T> CompletableFuture<T> runAsync(
            Limit limit, String key, Duration maxWait, Supplier<? extends CompletionStage<T>> call) {
        return runAsync(limit, key, maxWait, call, Runnable::run);
    }

    /** Waits for several limits together, as {@link #runAsync(Limit, String, Duration, Supplier, Executor)} does for one. */
    public <T> CompletableFuture<T> runAsync(
            KeyedLimits limits, Duration maxWait, Supplier<? extends CompletionStage<T>> call, Executor executor) {
        return new LimitedStage<T>(this, executor).start(acquireAsync(ask(limits), maxWait), call);
    }

    /** Decides about several limits together, all or nothing. */
    public Decision decide(List<Demand> demands) {
        long start = startNanos();
        List<Demand> copy = List.copyOf(demands);
        EngineDecision quick = copy.size() > 1 && engine instanceof LocalEngine local ? local.tryDecide(copy) : null;
        return quick == null
                ? decide(prompt(copy, Ask.Purpose.CHARGE, deadline, onFailure))
                : told(new DemandsDecision(copy, quick), start);
    }

    /** Returns the decision that {@link #decide(List)} would make, without charging any limit. */
    public Decision look(List<Demand> demands) {
        return decide(prompt(demands, Ask.Purpose.LOOK, deadline, onFailure));
    }

    /** Decides an ask. Blocks at most until its deadline. */
    public Decision decide(Ask ask) {
        long start = startNanos();
        Answer answer = engine.decide(ask);
        Outcome outcome = answer instanceof PendingOutcome pending
                ? pending.outcome().toCompletableFuture().join()
                : (Outcome) answer;
        return decision(ask, outcome, start);
    }

    /** Decides an ask without blocking. The stage never completes exceptionally. */
    public CompletionStage<Decision> decideAsync(Ask ask) {
        long start = startNanos();
        Answer answer = engine.decide(ask);
        return answer instanceof PendingOutcome pending
                ? pending.outcome().thenApply(outcome -> decision(ask, outcome, start))
                : CompletableFuture.completedFuture(decision(ask, (Outcome) answer, start));
    }

    /**
     * Decides an ask immediately without a shared engine, to shed load: its failure policy decides, and the decision is degraded for this
     * reason. A limiter that counts in this process decides as always.
     *
     * @param reason a short name suitable for a metric, such as {@code node-overload}
     */
    public Decision decideWithoutStore(Ask ask, String reason) {
        return engine instanceof FallbackEngine shared
                ? decision(ask, shared.standIn(ask, reason), startNanos())
                : decide(ask);
    }

    /** Waits for several limits together, all or nothing. See {@linkplain Limiter above}. */
    public Decision acquire(KeyedLimits limits, Duration maxWait) throws InterruptedException {
        return acquire(ask(limits), maxWait);
    }

    /**
     * Waits for several limits together without blocking. See {@linkplain Limiter above}. The future completes on the executor. Cancelling
     * it gives up the wait and returns any permits that were charged.
     */
    public CompletableFuture<Decision> acquireAsync(KeyedLimits limits, Duration maxWait, Executor executor) {
        return on(executor, acquireAsync(limits, maxWait), waiting::giveBack);
    }

    /** Waits for several limits together without blocking. See {@linkplain Limiter above}. */
    public CompletableFuture<Decision> acquireAsync(KeyedLimits limits, Duration maxWait) {
        return acquireAsync(ask(limits), maxWait);
    }

    /** Waits for permits of one limit. See {@linkplain Limiter above}. */
    public Decision acquire(Limit limit, String key, long permits, Duration maxWait) throws InterruptedException {
        return acquire(List.of(Demand.of(limit, key, permits)), maxWait);
    }

    /** Waits for several limits together, all or nothing. See {@linkplain Limiter above}. */
    public Decision acquire(List<Demand> demands, Duration maxWait) throws InterruptedException {
        return acquire(ask(demands), maxWait);
    }

    /**
     * Waits until an ask is allowed. See {@linkplain Limiter above}. The time from now to the ask's deadline is the time that
     * the engine has for each decision along the way.
     *
     * @return an allowed decision, returned when it is time to proceed; or a refusal
     * @throws InterruptedException if the thread was interrupted; any permits that were charged are given back
     */
    public Decision acquire(Ask ask, Duration maxWait) throws InterruptedException {
        return await(ask, maxWait, Function.identity(), waiting::giveBack);
    }

    /** Waits for permits of one limit without blocking. See {@linkplain Limiter above}. */
    public CompletableFuture<Decision> acquireAsync(Limit limit, String key, long permits, Duration maxWait) {
        return acquireAsync(List.of(Demand.of(limit, key, permits)), maxWait);
    }

    /** Waits for several limits together, all or nothing, without blocking. See {@linkplain Limiter above}. */
    public CompletableFuture<Decision> acquireAsync(List<Demand> demands, Duration maxWait) {
        return acquireAsync(ask(demands), maxWait);
    }

    /**
     * Waits without blocking until an ask is allowed, as {@link #acquire(Ask, Duration)} does. The limiter never fails the
     * future.
     */
    public CompletableFuture<Decision> acquireAsync(Ask ask, Duration maxWait) {
        return waiting.start(ask, maxWait, Function.identity());
    }

    /** Takes permits and holds them until the result is closed. Refuses if they are not available now. */
    public Hold hold(Concurrency limit, String key, long permits) {
        return hold(decide(limit, key, permits));
    }

    /** Waits for permits and holds them until the result is closed. See {@linkplain Limiter above}. */
    public Hold hold(Concurrency limit, String key, long permits, Duration maxWait) throws InterruptedException {
        return await(ask(List.of(Demand.of(limit, key, permits))), maxWait, this::hold, Hold::close);
    }

    /** Waits for permits without blocking and holds them until the result is closed. See {@linkplain Limiter above}. */
    public CompletableFuture<Hold> holdAsync(Concurrency limit, String key, long permits, Duration maxWait) {
        return waiting.start(ask(List.of(Demand.of(limit, key, permits))), maxWait, this::hold);
    }

    /**
     * Waits for permits without blocking and holds them until the result is closed. See {@linkplain Limiter above}. The future
     * completes on the executor. Cancelling it gives up the wait and returns the permits.
     */
    public CompletableFuture<Hold> holdAsync(
            Concurrency limit, String key, long permits, Duration maxWait, Executor executor) {
        return on(executor, holdAsync(limit, key, permits, maxWait), Hold::close);
    }

    /**
     * Returns a hold on the {@link Concurrency} permits that a decision of this limiter granted. Closing the hold gives back only these
     * permits, not the permits of the decision's other limits. Call this once per decision.
     */
    public Hold hold(Decision decision) {
        return new Hold(decision, waiting, permits);
    }

    /** Gives back the permits that a decision charged, as far as they still count. Call this at most once per decision. */
    public CompletionStage<Void> giveBack(Decision decision) {
        return waiting.giveBack(decision).thenAccept(held -> {});
    }

    /**
     * Renews permits that are identified by their charges alone. Use this for permits that were handed out to another party, or
     * from another process that shares the counts. The stage completes with true if all permits were still held. It completes
     * exceptionally if the engine does not answer in time.
     */
    public CompletionStage<Boolean> renew(List<Charge> held, Duration atMost) {
        return permits.renew(held, atMost);
    }

    /**
     * Releases permits that are identified by their charges alone. The stage completes with true if any of them was still held.
     * It completes exceptionally if the engine does not answer in time; the permits may then be held until they expire.
     */
    public CompletionStage<Boolean> release(List<Charge> held, Duration atMost) {
        return permits.release(held, atMost);
    }

    /**
     * Settles reservations, see {@link Engine#settle}. If the engine fails or does not answer, it is asked again until {@code atMost} has
     * passed; each reservation is settled once nevertheless. A result is {@code REPEATED} if the answer to an earlier attempt was lost. The
     * future fails if there is no answer in time. It is then unknown whether the counts were changed, and settling again returns the true
     * result.
     */
    public CompletableFuture<List<SettlementResult>> settle(List<Settlement> settlements, Duration atMost) {
        List<Settlement> copy = List.copyOf(settlements);
        long untilNanos = clock.nanoTime() + Expect.wait("atMost", atMost) * 1_000;
        return SettlementAttempts.start(engine, clock, copy, untilNanos).thenApply(results -> {
            waiting.settled(copy, results);
            return results;
        });
    }

    /**
     * Returns the moment, for {@link Ask#dueAt}, by which a decision that is requested now must be made. The deadline is at
     * most 1000 days.
     */
    public long dueIn(Duration deadline) {
        return clock.nanoTime() + Expect.wait("deadline", deadline) * 1_000;
    }

    /**
     * Drops the data that this process keeps in memory about keys that match, see {@link Engine#forget}. Counts in a shared store stay.
     * Returns the number of dropped counts.
     */
    public long forget(KeyMatch match) {
        return engine.forget(match);
    }

    /** Closes the engine. Waiting callers are answered immediately: they are refused unless their failure policy lets them pass. */
    @Override
    public void close() {
        engine.close();
        waiting.close();
    }

    /** Returns the queues of waiting callers, for tests. */
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

    /** Decides about one permit that is available now, without a later time slot. */
    private Decision decideNow(Limit limit, String key) {
        return limit.maxWaitMicros() == 0
                ? decide(limit, key)
                : decide(KeyedLimits.of(limit, key).now());
    }

    private Hold passed(Decision decision) {
        return hold(decision).orElseThrow();
    }

    /** Completes on the executor. Completing the result early cancels the wait; a value that arrives after that is undone. */
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
        return ask(demands, deadline, onFailure);
    }

    private Ask ask(KeyedLimits limits) {
        return ask(limits.demands(), limits.deadlineOr(deadline), limits.onFailureOr(onFailure));
    }

    private Ask ask(List<Demand> demands, Duration within, FailurePolicy policy) {
        return Ask.charging(demands).dueAt(dueIn(within)).onFailure(policy, Ask.DEFAULT_LOCAL_SHARE);
    }

    private Ask prompt(KeyedLimits limits, Ask.Purpose purpose) {
        return prompt(limits.demands(), purpose, limits.deadlineOr(deadline), limits.onFailureOr(onFailure));
    }

    /**
     * Creates an ask that does not wait. The in-process engine answers immediately, so it needs no deadline and no clock read to compute
     * one.
     */
    private Ask prompt(List<Demand> demands, Ask.Purpose purpose, Duration within, FailurePolicy policy) {
        long due = engine instanceof LocalEngine ? Ask.NO_DEADLINE : dueIn(within);
        return new Ask(demands, purpose, due, policy, Ask.DEFAULT_LOCAL_SHARE, 0);
    }

    /** Returns the start of a decision, or 0 if no listener needs its duration. */
    private long startNanos() {
        return listeners.isEmpty() ? 0 : clock.nanoTime();
    }

    /** Decides about one token bucket of this process, without an ask. Returns null if the engine must be asked. */
    private @Nullable Decision decideOnBucket(Limit limit, String key, long permits) {
        Buckets buckets = engine instanceof LocalEngine local ? local.buckets(limit) : null;
        if (buckets == null) {
            return null;
        }
        long nowMicros = buckets.nowMicros();
        long used = buckets.take(key, permits, nowMicros);
        return used == Buckets.UNDECIDED ? null : new BucketDecision(buckets, key, permits, used, nowMicros);
    }

    private Decision decision(Ask ask, Outcome outcome, long startNanos) {
        return told(Decision.of(ask, outcome, clock), startNanos);
    }

    private Decision told(Decision decision, long startNanos) {
        if (!listeners.isEmpty()) {
            listeners.tell(decision, clock.nanoTime() - startNanos);
        }
        return decision;
    }
}
