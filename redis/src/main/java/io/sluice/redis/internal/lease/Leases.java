package io.sluice.redis.internal.lease;

import io.sluice.core.spi.Answer;
import io.sluice.core.spi.Ask;
import io.sluice.core.spi.Charge;
import io.sluice.core.spi.Demand;
import io.sluice.core.spi.Engine;
import io.sluice.core.spi.EngineDecision;
import io.sluice.core.spi.EngineFailure;
import io.sluice.core.spi.Outcome;
import io.sluice.core.spi.PendingOutcome;
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
 * Takes permits of busy counts from the store in advance and spends them in this process, so that most decisions need no call. A
 * decorator; safe for use by many threads.
 *
 * <p><b>How.</b> A lease is a number of permits of one count, charged in the store at once. A count is leased when a demand says so
 * ({@link Demand#lease}) and callers come often; others are decided by the engine behind, like everything that no lease at hand is
 * enough for. The next lease is asked for while a quarter of the last is left, or as much as may be spent until it is there. Where nothing is at hand and a request is under way, callers
 * wait for it instead of asking for themselves. What is not spent goes back: with the next request, when the lease ends, when nothing
 * was spent for a while, on {@link #close}.
 *
 * <p><b>What it gives up.</b> In any span of time no more is admitted than the limit allows plus what was out on leases at its start,
 * which is never more than {@code share × limit} over all processes. A crash loses what was leased until it has aged, and never grants
 * it twice. Once the store has refused a lease, callers who ask for as much are refused here for a moment (20 ms; for as long as the
 * store named, up to 250 ms) without asking: what others give back meanwhile is noticed after it. Unspent permits elsewhere are not
 * there for callers here: near the limit a caller may be refused although another process has a permit at hand. {@code remaining} is
 * what is at hand and what the store had left when it was last asked. An ask over several limits holds what it took from leases until
 * the engine behind has decided the others.
 *
 * <p><b>When not to use it.</b> For limits that must be exact, for small ones (where {@code share × limit} is less than what one caller
 * asks for nothing is leased), and for keys that each come a few times a second: they only cost memory here. Logs and permits that
 * are held are never leased.
 *
 * <p><b>Memory.</b> Of {@value #MOST_KEYS} keys at most something is kept, for about a second after they were last asked for. While so
 * many are in use, others are decided by the engine behind, and so are keys of more than 256 characters.
 *
 * <p><b>Give-backs.</b> What was spent from a lease that is open goes back into it, else to the engine behind: ending the lease has
 * counted it as spent. So it comes back once.
 */
public final class Leases implements Engine {

    /** Of how many keys something is kept. */
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
     * Leases in front of an engine.
     *
     * @param engine what decides without a lease, on the same counts; closed with this one
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

    /** Leases that are swept by a test. */
    static Leases over(
            Engine engine,
            LeaseStore store,
            Clock clock,
            LeaseListener listener,
            int mostKeys,
            ExecutorService sweeper) {
        return new Leases(engine, store, clock, listener, mostKeys, sweeper);
    }

    /** How many leased permits can be spent at the moment. */
    public long outstanding() {
        return traffic.outstanding();
    }

    /** Of how many keys something is kept. */
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

    /** Asks for the next lease of a demand that has been decided, if that is due. */
    private void seek(LeasedKey key, Demand demand, long nowNanos) {
        if (key.atHand(nowNanos) == 0 && key.refusal(demand, nowNanos) == null) {
            key.elsewhere(demand, nowNanos);
            traffic.watch();
        }
        next(key, demand, nowNanos);
    }

    /** What is known of a demand that may be leased; null if it may not, or there is no place for its key. */
    private @Nullable LeasedKey key(Demand demand, long nowNanos) {
        return demand.lease().most(demand.limit()) < demand.permits()
                ? null
                : table.findOrAdd(demand.limit(), demand.key(), nowNanos);
    }

    /** Decides from what is at hand or known; null if that is not enough. */
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

    /** Waits for the lease that is under way, or is from now on; else has the engine behind decide. */
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
            // What was under way has come meanwhile, or it is of no use to this one.
            EngineDecision here = mine == null ? decideHere(key, ask, demand, clock.nanoTime()) : null;
            return here != null ? here : engine.decide(ask);
        }
        CompletableFuture<Outcome> outcome = waiter.outcome();
        return outcome.isDone() ? outcome.join() : new PendingOutcome(outcome, traffic.afterArrivals());
    }

    /** Decides for one who has waited for a lease. */
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
    public CompletionStage<Void> giveBack(List<Charge> charges) {
        List<Charge> others = notPutBack("", charges);
        return others.isEmpty() && !charges.isEmpty()
                ? CompletableFuture.completedFuture(null)
                : engine.giveBack(others);
    }

    /** Puts back what was taken for nothing. */
    @SuppressWarnings("FutureReturnValueIgnored") // if it fails, the charge ages
    void giveBackUnused(Ask ask, List<Charge> charges) {
        List<Charge> others = notPutBack(ask.id(), charges);
        if (others.isEmpty()) {
            return;
        }
        if (listener != LeaseListener.NONE) {
            long now = clock.nanoTime();
            others.forEach(
                    charge -> listener.unspent(ask.id(), charge.limit(), charge.key(), "", charge.permits(), now, now));
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

    @Override
    public CompletionStage<Boolean> renew(Charge charge) {
        return engine.renew(charge);
    }

    /** Ends all leases, for which the store has a second, and closes the engine behind. */
    @Override
    public void close() {
        traffic.close();
        engine.close();
    }
}
