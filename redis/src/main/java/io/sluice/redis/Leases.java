package io.sluice.redis;

import io.sluice.core.spi.Answer;
import io.sluice.core.spi.Ask;
import io.sluice.core.spi.Charge;
import io.sluice.core.spi.Decided;
import io.sluice.core.spi.Demand;
import io.sluice.core.spi.Engine;
import io.sluice.core.spi.Outcome;
import io.sluice.core.spi.Pending;
import io.sluice.core.spi.Undecided;
import io.sluice.core.spi.Verdict;
import io.sluice.core.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * Takes permits of busy counts from the store in advance and spends them in this process, so that most decisions need no call. A
 * decorator; safe for use by many threads.
 *
 * <p><b>How.</b> A lease is a number of permits of one count, charged in the store at once. A count is leased when a demand says so
 * ({@link Demand#lease}) and callers come often; others are decided by the engine behind, like everything that no lease at hand is
 * enough for. The next lease is asked for while a quarter of the last is left. Where nothing is at hand and a request is under way, callers
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

    private static final long IDLE_KEY_NANOS = Duration.ofSeconds(1).toNanos();

    /** A request that is not answered by then is taken for lost. */
    private static final long LOST_NANOS = Duration.ofSeconds(1).toNanos();

    private static final Duration LAST_WORDS = Duration.ofSeconds(1);

    private final Engine engine;
    private final LeaseStore store;
    private final Clock clock;
    private final LeaseListener listener;
    private final LeaseTable table;
    private final LeaseSweep sweep;
    private final ExecutorService sweeper;

    /** Those of which something is at hand, under way or to be told. */
    private final Set<LeasedKey> active = ConcurrentHashMap.newKeySet();

    private final String ids =
            Long.toString(UUID.randomUUID().getMostSignificantBits() >>> 1, Character.MAX_RADIX) + "-";
    private final AtomicLong nextId = new AtomicLong();
    private long sweptKeysNanos;
    private volatile boolean closed;

    private Leases(
            Engine engine,
            LeaseStore store,
            Clock clock,
            LeaseListener listener,
            int mostKeys,
            ExecutorService sweeper) {
        this.engine = engine;
        this.store = store;
        this.clock = clock;
        this.listener = listener;
        this.table = new LeaseTable(mostKeys, listener);
        this.sweeper = sweeper;
        this.sweep = new LeaseSweep(clock, sweeper, this::sweep);
        this.sweptKeysNanos = clock.nanoTime();
    }

    /**
     * Leases in front of an engine.
     *
     * @param engine what decides without a lease, on the same counts; closed with this one
     */
    static Leases over(Engine engine, LeaseStore store, Clock clock, LeaseListener listener) {
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
        long now = clock.nanoTime();
        return active.stream().mapToLong(key -> key.atHand(now)).sum();
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
        if (!ask.charges() || closed) {
            return engine.decide(ask);
        }
        long now = clock.nanoTime();
        if (isLate(ask, now)) {
            return engine.decide(ask);
        }
        if (ask.demands().size() > 1) {
            return decideSeveral(ask, now);
        }
        Demand demand = ask.demands().get(0);
        LeasedKey key = key(demand, now);
        if (key == null) {
            return engine.decide(ask);
        }
        Decided here = decideHere(key, ask, demand, now);
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
        Answer answer = new PartlyLeased(ask, keys, nowNanos, this).decide(engine);
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
            sweep.start();
        }
        LeaseInquiry inquiry = key.isDue(nowNanos) ? inquire(key, demand, nowNanos) : null;
        if (inquiry != null) {
            send(key, inquiry);
        }
    }

    /** What is known of a demand that may be leased; null if it may not, or there is no place for its key. */
    private @Nullable LeasedKey key(Demand demand, long nowNanos) {
        return demand.lease().most(demand.limit()) < demand.permits()
                ? null
                : table.findOrAdd(demand.limit(), demand.key(), nowNanos);
    }

    /** Decides from what is at hand or known; null if that is not enough. */
    private @Nullable Decided decideHere(LeasedKey key, Ask ask, Demand demand, long nowNanos) {
        Verdict verdict = key.take(ask, demand, false, nowNanos);
        if (verdict == null) {
            Verdict refused = key.refusal(demand, nowNanos);
            if (refused == null) {
                return null;
            }
            verdict = demand.atLeast() < demand.permits() ? key.take(ask, demand, true, nowNanos) : null;
            verdict = verdict == null ? refused : verdict;
        }
        Decided decided = new Decided(verdict.fits(), List.of(verdict), key.storeMicros(nowNanos), null);
        told(ask, decided);
        if (verdict.fits() && key.isDue(nowNanos)) {
            LeaseInquiry inquiry = inquire(key, demand, nowNanos);
            if (inquiry != null) {
                send(key, inquiry);
            }
        }
        return decided;
    }

    /** Waits for the lease that is under way, or is from now on; else has the engine behind decide. */
    private Answer decideElsewhere(LeasedKey key, Ask ask, Demand demand, long nowNanos) {
        key.elsewhere(demand, nowNanos);
        sweep.start();
        LeaseInquiry mine = key.isDue(nowNanos) ? inquire(key, demand, nowNanos) : null;
        LeaseInquiry inquiry = mine == null ? key.underWay() : mine;
        LeaseInquiry.Waiter waiter = new LeaseInquiry.Waiter(ask, new CompletableFuture<>());
        boolean waits = inquiry != null && inquiry.join(waiter);
        if (mine != null) {
            send(key, mine);
        }
        if (!waits) {
            return engine.decide(ask);
        }
        CompletableFuture<Outcome> outcome = waiter.outcome();
        return outcome.isDone() ? outcome.join() : new Pending(outcome, store.afterArrivals());
    }

    private @Nullable LeaseInquiry inquire(LeasedKey key, Demand demand, long nowNanos) {
        String id = ids + Long.toString(nextId.getAndIncrement(), Character.MAX_RADIX);
        return closed ? null : key.ask(demand, demand.lease().most(demand.limit()), id, nowNanos);
    }

    @SuppressWarnings("FutureReturnValueIgnored") // what comes of it is taken in
    private void send(LeasedKey key, LeaseInquiry inquiry) {
        active.add(key);
        sweep.start();
        CompletionStage<LeaseAnswer> answer;
        try {
            answer = store.request(inquiry.request);
        } catch (RuntimeException e) {
            answer = CompletableFuture.failedFuture(e);
        }
        answer.whenComplete((heard, failure) ->
                answered(key, inquiry, heard == null ? new LeaseAnswer.Unknown(engine.name() + "-error") : heard));
    }

    private void answered(LeasedKey key, LeaseInquiry inquiry, LeaseAnswer answer) {
        long now = clock.nanoTime();
        List<LeaseInquiry.Waiter> waiters = key.answered(inquiry, answer, now);
        active.add(key);
        if (closed) {
            end(key, key.leave(now)).whenComplete((done, failure) -> inquiry.done.complete(null));
        } else {
            sweep.start();
            inquiry.done.complete(null);
        }
        for (LeaseInquiry.Waiter waiter : waiters) {
            serve(key, waiter, now);
        }
    }

    private void serve(LeasedKey key, LeaseInquiry.Waiter waiter, long nowNanos) {
        Ask ask = waiter.ask();
        if (isLate(ask, nowNanos)) {
            waiter.outcome().complete(new Undecided(engine.name() + "-timeout", false));
            return;
        }
        Decided here = decideHere(key, ask, ask.demands().get(0), nowNanos);
        if (here != null) {
            waiter.outcome().complete(here);
            return;
        }
        Answer answer;
        try {
            answer = engine.decide(ask);
        } catch (RuntimeException e) {
            answer = new Undecided(engine.name() + "-error", true);
        }
        if (answer instanceof Pending pending) {
            pending.outcome().whenComplete((outcome, failure) -> waiter.outcome()
                    .complete(outcome == null ? new Undecided(engine.name() + "-error", true) : outcome));
        } else {
            waiter.outcome().complete((Outcome) answer);
        }
    }

    private static boolean isLate(Ask ask, long nowNanos) {
        return ask.deadlineNanos() != Ask.NO_DEADLINE && nowNanos - ask.deadlineNanos() > 0;
    }

    @Override
    public CompletionStage<Void> giveBack(List<Charge> charges) {
        List<Charge> others = notPutBack(charges);
        return others.isEmpty() && !charges.isEmpty()
                ? CompletableFuture.completedFuture(null)
                : engine.giveBack(others);
    }

    /** Puts back what was taken for nothing. */
    @SuppressWarnings("FutureReturnValueIgnored") // if it fails, the charge ages
    void giveBackUnused(List<Charge> charges) {
        if (!charges.isEmpty()) {
            giveBack(charges);
        }
    }

    private List<Charge> notPutBack(List<Charge> charges) {
        long now = clock.nanoTime();
        List<Charge> others = new ArrayList<>(charges.size());
        for (Charge charge : charges) {
            LeasedKey key = table.find(charge.limit(), charge.key());
            if (key == null || !key.putBack(charge, now)) {
                others.add(charge);
            }
            if (key != null) {
                key.forgetRefusal(now);
            }
        }
        return others;
    }

    void told(Ask ask, Decided decided) {
        if (listener != LeaseListener.NONE) {
            listener.answered(ask, decided);
        }
    }

    @Override
    public CompletionStage<Boolean> renew(Charge charge) {
        return engine.renew(charge);
    }

    /** Ends what is over or idle, forgets keys that nobody asks for; whether there is anything left to sweep. */
    private boolean sweep() {
        long now = clock.nanoTime();
        active.forEach(key -> sweep(key, now));
        if (now - sweptKeysNanos >= IDLE_KEY_NANOS) {
            sweptKeysNanos = now;
            table.dropIf(key -> key.leaveIfIdle(IDLE_KEY_NANOS, now));
        }
        return table.size() > 0 || !active.isEmpty();
    }

    private void sweep(LeasedKey key, long now) {
        LeaseInquiry inquiry = key.underWay();
        if (inquiry != null && now - inquiry.askedNanos >= LOST_NANOS) {
            answered(key, inquiry, new LeaseAnswer.Unknown(engine.name() + "-timeout"));
        }
        end(key, key.sweep(now));
        if (key.isQuiet()) {
            active.remove(key);
            if (!key.isQuiet()) {
                active.add(key);
            }
        }
    }

    private CompletionStage<Void> end(LeasedKey key, List<EndedLease> ended) {
        if (ended.isEmpty()) {
            return CompletableFuture.completedFuture(null);
        }
        CompletionStage<Void> told;
        try {
            told = store.end(key.limit, key.key, ended);
        } catch (RuntimeException e) {
            told = CompletableFuture.failedFuture(e);
        }
        return told.<Void>handle((done, failure) -> {
                    key.told(failure == null, clock.nanoTime());
                    return null;
                })
                .toCompletableFuture();
    }

    /** Ends all leases, for which the store has a second, and closes the engine behind. */
    @Override
    public void close() {
        boolean again;
        synchronized (sweep) {
            again = closed;
            closed = true;
        }
        if (!again) {
            sweep.close();
            sweeper.shutdown();
            endAll();
        }
        engine.close();
    }

    private void endAll() {
        long now = clock.nanoTime();
        List<CompletableFuture<?>> ends = new ArrayList<>();
        List<Runnable> lost = new ArrayList<>();
        for (LeasedKey key : active) {
            ends.add(end(key, key.leave(now)).toCompletableFuture());
            LeaseInquiry inquiry = key.underWay();
            if (inquiry != null) {
                ends.add(inquiry.done);
                lost.add(() -> answered(key, inquiry, new LeaseAnswer.Unknown("closed")));
            }
        }
        try {
            CompletableFuture.allOf(ends.toArray(CompletableFuture[]::new))
                    .get(LAST_WORDS.toMillis(), TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (ExecutionException | TimeoutException e) {
            // What was not ended ages in the store.
        }
        lost.forEach(Runnable::run);
    }
}
