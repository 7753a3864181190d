package io.sluice.redis.internal.lease;

import io.sluice.core.spi.Answer;
import io.sluice.core.spi.Ask;
import io.sluice.core.spi.Charge;
import io.sluice.core.spi.Demand;
import io.sluice.core.spi.Engine;
import io.sluice.core.spi.EngineDecision;
import io.sluice.core.spi.EngineFailure;
import io.sluice.core.spi.KeyMatch;
import io.sluice.core.spi.Outcome;
import io.sluice.core.spi.PendingOutcome;
import io.sluice.core.spi.Settlement;
import io.sluice.core.spi.SettlementResult;
import io.sluice.core.spi.Verdict;
import io.sluice.core.time.Clock;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Leases permits of busy counts from the store in advance and spends them in this process, so that most decisions need no call. A
 * decorator. Thread-safe.
 *
 * <p><b>How it works.</b> A lease is a number of permits of one count, charged in the store in one step. A count is leased if a demand asks
 * for it ({@link Demand#lease}) and callers come often. The wrapped engine decides all other demands, and demands for which the held leases
 * are too small. The next lease is requested while a quarter of the last lease is left, or as many permits as may be spent until it
 * arrives. If no permits are held and a request is pending, callers wait for it instead of asking on their own. Unspent permits are
 * returned: with the next request, when the lease ends, when no permits were spent for a while, and on {@link #close}.
 *
 * <p><b>Trade-offs.</b> In any span of time, the limit admits at most its own number plus the permits that were on leases at the start of
 * the span, which are never more than {@code share × limit} over all processes. A crash loses the leased permits until they expire, and
 * never grants them twice. Once the store has refused a lease, equal requests are refused here for a moment without asking (20 ms, or the
 * store's retry time up to 250 ms); permits returned by other processes become visible after that. Unspent permits of other processes are
 * not available here: near the limit, a caller may be refused although another process holds a permit. {@code remaining} is the number of
 * held permits plus the permits that the store had left at its last answer. A request over several limits holds its leased permits until
 * the wrapped engine has decided the other limits.
 *
 * <p><b>When not to use it.</b> For limits that must be exact. For small limits: if one caller asks for more than {@code share × limit}, no
 * permits are leased. For keys that each come only a few times a second: they cost memory here and gain nothing. Sliding logs and
 * concurrency permits are never leased.
 *
 * <p><b>Memory.</b> At most {@value #MOST_KEYS} keys are stored, each for about a second after its last request. While the table
 * is full, other keys are decided by the wrapped engine, and so are keys longer than 256 characters.
 *
 * <p><b>Refunds.</b> Permits spent from an open lease go back into it. Otherwise they go to the wrapped engine, because the end of the
 * lease has counted them as spent. In both cases they are returned exactly once.
 *
 * <p><b>Settlements.</b> They go to the store, which charged the permits when the lease was granted. That moment is the time of the charge,
 * so a leased reservation has less time to be settled, by at most the life of the lease. A debt does not revoke leases: leased permits may
 * still be spent, at most {@code share × limit} over all processes. No lease is granted until the debt is paid.
 */
public final class Leases implements Engine {

    /** The maximum number of stored keys. */
    static final int MOST_KEYS = 100_000;

    private final Engine engine;
    private final Clock clock;
    private final LeaseListener listener;
    private final LeaseTable table;
    private final LeaseTraffic traffic;

    private Leases(
            Engine engine,
            LeaseStore store,
            Clock clock,
            LeaseListener listener,
            int mostKeys,
            ExecutorService sweeper) {
        this.engine = engine;
        this.clock = clock;
        this.listener = listener;
        this.table = new LeaseTable(mostKeys, listener);
        this.traffic = new LeaseTraffic(store, clock, table, this::decideWaiting, sweeper);
    }

    /**
     * Creates leases in front of an engine.
     *
     * @param engine the engine that decides without a lease, on the same counts; closed together with these leases
     */
    public static Leases over(Engine engine, LeaseStore store, Clock clock, LeaseListener listener) {
        ThreadPoolExecutor sweeper =
                new ThreadPoolExecutor(1, 1, 10, TimeUnit.SECONDS, new LinkedBlockingQueue<>(), task -> {
                    Thread thread = new Thread(task, "sluice-leases");
                    thread.setDaemon(true);
                    return thread;
                });
        sweeper.allowCoreThreadTimeOut(true);
        return new Leases(engine, store, clock, listener, MOST_KEYS, sweeper);
    }

    /** Creates leases that are swept by a test. */
    static Leases over(
            Engine engine,
            LeaseStore store,
            Clock clock,
            LeaseListener listener,
            int mostKeys,
            ExecutorService sweeper) {
        return new Leases(engine, store, clock, listener, mostKeys, sweeper);
    }

    /** Returns the number of leased permits that can be spent at the moment. */
    public long outstanding() {
        return traffic.outstanding();
    }

    /** Returns the number of stored keys. */
    public int keys() {
        return table.size();
    }

    @Override
    public String name() {
        return engine.name();
    }

    @Override
    public Answer decide(Ask ask) {
        if (!ask.charges() || traffic.isClosed()) {
            return engine.decide(ask);
        }
        return decideCharge(listener.named(ask));
    }

    private Answer decideCharge(Ask ask) {
        long now = clock.nanoTime();
        if (isLate(ask, now)) {
            return engine.decide(ask);
        }
        if (ask.demands().size() != 1) {
            return decideSeveral(ask, now);
        }
        Demand demand = ask.demands().get(0);
        LeasedKey key = key(demand, now);
        if (key == null) {
            return engine.decide(ask);
        }
        EngineDecision here = decideHere(key, ask, demand, now);
        return here != null ? here : decideElsewhere(key, ask, demand, now);
    }

    private Answer decideSeveral(Ask ask, long nowNanos) {
        List<Demand> demands = ask.demands();
        @Nullable LeasedKey[] keys = new LeasedKey[demands.size()];
        boolean any = false;
        for (int i = 0; i < keys.length; i++) {
            keys[i] = key(demands.get(i), nowNanos);
            any |= keys[i] != null;
        }
        if (!any) {
            return engine.decide(ask);
        }
        Answer answer = new MixedDecision(ask, keys, nowNanos, this).decide(engine);
        for (int i = 0; i < keys.length; i++) {
            LeasedKey key = keys[i];
            if (key != null) {
                seek(key, demands.get(i), nowNanos);
            }
        }
        return answer;
    }

    /** Requests the next lease for a decided demand, if a lease is due. */
    private void seek(LeasedKey key, Demand demand, long nowNanos) {
        if (key.atHand(nowNanos) == 0 && key.refusal(demand, nowNanos) == null) {
            key.elsewhere(demand, nowNanos);
            traffic.watch();
        }
        next(key, demand, nowNanos);
    }

    /**
     * Returns the key of a demand that may be leased, or null if it may not be or if there is no room for the key. A demand that keeps
     * permits for other callers is not leased, because only the store knows the remaining permits.
     */
    private @Nullable LeasedKey key(Demand demand, long nowNanos) {
        return demand.keep() > 0 || demand.lease().most(demand.limit()) < demand.permits()
                ? null
                : table.findOrAdd(demand.limit(), demand.key(), nowNanos);
    }

    /** Decides from held permits or a cached refusal. Returns null if these are not enough. */
    private @Nullable EngineDecision decideHere(LeasedKey key, Ask ask, Demand demand, long nowNanos) {
        Verdict verdict = key.take(ask, demand, false, nowNanos);
        if (verdict == null) {
            Verdict refused = key.refusal(demand, nowNanos);
            if (refused == null) {
                return null;
            }
            verdict = demand.atLeast() < demand.permits() ? key.take(ask, demand, true, nowNanos) : null;
            verdict = verdict == null ? refused : verdict;
        }
        EngineDecision decided = new EngineDecision(verdict.fits(), List.of(verdict), key.storeMicros(nowNanos), null);
        told(ask, decided);
        if (verdict.fits()) {
            next(key, demand, nowNanos);
        }
        return decided;
    }

    private void next(LeasedKey key, Demand demand, long nowNanos) {
        LeaseInquiry inquiry = traffic.inquire(key, demand, nowNanos);
        if (inquiry != null) {
            traffic.send(key, inquiry);
        }
    }

    /** Waits for a lease that is pending or is requested now; otherwise lets the wrapped engine decide. */
    private Answer decideElsewhere(LeasedKey key, Ask ask, Demand demand, long nowNanos) {
        key.elsewhere(demand, nowNanos);
        traffic.watch();
        LeaseInquiry mine = traffic.inquire(key, demand, nowNanos);
        LeaseInquiry inquiry = mine == null ? key.underWay() : mine;
        LeaseInquiry.Waiter waiter = new LeaseInquiry.Waiter(ask, engine.name(), new CompletableFuture<>());
        boolean waits = inquiry != null && inquiry.join(waiter);
        if (mine != null) {
            traffic.send(key, mine);
        }
        if (!waits) {
            // The request was answered meanwhile, or it does not help this caller.
            EngineDecision here = mine == null ? decideHere(key, ask, demand, clock.nanoTime()) : null;
            return here != null ? here : engine.decide(ask);
        }
        CompletableFuture<Outcome> outcome = waiter.outcome();
        return outcome.isDone() ? outcome.join() : new PendingOutcome(outcome, traffic.afterArrivals());
    }

    /** Decides for a caller that has waited for a lease. */
    private Answer decideWaiting(LeasedKey key, Ask ask, long nowNanos) {
        if (isLate(ask, nowNanos)) {
            return new EngineFailure(engine.name() + "-timeout", false);
        }
        try {
            EngineDecision here = decideHere(key, ask, ask.demands().get(0), nowNanos);
            return here != null ? here : engine.decide(ask);
        } catch (RuntimeException e) {
            return new EngineFailure(engine.name() + "-error", true);
        }
    }

    private static boolean isLate(Ask ask, long nowNanos) {
        return ask.deadlineNanos() != Ask.NO_DEADLINE && nowNanos - ask.deadlineNanos() > 0;
    }

    @Override
    public CompletionStage<Boolean> giveBack(List<Charge> charges) {
        List<Charge> others = notPutBack("", charges);
        return others.isEmpty() && !charges.isEmpty()
                ? CompletableFuture.completedFuture(false)
                : engine.giveBack(others);
    }

    /** Puts back permits that were taken for a request that is not allowed. */
    @SuppressWarnings("FutureReturnValueIgnored") // if it fails, the charge expires
    void giveBackUnused(Ask ask, List<Charge> charges) {
        List<Charge> others = notPutBack(ask.trace(), charges);
        if (others.isEmpty()) {
            return;
        }
        if (listener != LeaseListener.NONE) {
            long now = clock.nanoTime();
            others.forEach(charge ->
                    listener.unspent(ask.trace(), charge.limit(), charge.key(), "", charge.permits(), now, now));
        }
        engine.giveBack(others);
    }

    private List<Charge> notPutBack(String ask, List<Charge> charges) {
        long now = clock.nanoTime();
        List<Charge> others = new ArrayList<>(charges.size());
        for (Charge charge : charges) {
            LeasedKey key = table.find(charge.limit(), charge.key());
            if (key != null && key.putBack(ask, charge, now)) {
                continue;
            }
            others.add(charge);
            if (key != null) {
                key.forgetRefusal(now);
            }
        }
        return others;
    }

    void told(Ask ask, EngineDecision decided) {
        if (listener != LeaseListener.NONE) {
            listener.answered(ask, decided);
        }
    }

    /** Settles in the store, and forgets the refusals of counts that got permits back. */
    @Override
    public CompletionStage<List<SettlementResult>> settle(List<Settlement> settlements) {
        List<Settlement> copy = List.copyOf(settlements);
        return engine.settle(copy).thenApply(results -> {
            long now = clock.nanoTime();
            for (Settlement settlement : copy) {
                LeasedKey key = settlement.more() < 0 ? table.find(settlement.limit(), settlement.key()) : null;
                if (key != null) {
                    key.forgetRefusal(now);
                }
            }
            return results;
        });
    }

    @Override
    public CompletionStage<Boolean> renew(Charge charge) {
        return engine.renew(charge);
    }

    /** Ends the leases of keys that match, without waiting for the store, and drops these keys. */
    @Override
    public long forget(KeyMatch match) {
        traffic.forget(key -> match.matches(key.key));
        return engine.forget(match);
    }

    /** Ends all leases, which the store has one second to confirm, and closes the wrapped engine. */
    @Override
    public void close() {
        traffic.close();
        engine.close();
    }
}
