package io.sluice.core.decorator;

import io.sluice.core.limit.Limit;
import io.sluice.core.spi.Answer;
import io.sluice.core.spi.Ask;
import io.sluice.core.spi.Charge;
import io.sluice.core.spi.CountKey;
import io.sluice.core.spi.Demand;
import io.sluice.core.spi.Engine;
import io.sluice.core.spi.EngineDecision;
import io.sluice.core.spi.KeyMatch;
import io.sluice.core.spi.Outcome;
import io.sluice.core.spi.PendingOutcome;
import io.sluice.core.spi.Settlement;
import io.sluice.core.spi.SettlementResult;
import io.sluice.core.spi.SettlementResult.Kind;
import io.sluice.core.spi.Verdict;
import io.sluice.core.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Keeps one process from asking a shared store for more than it can get. The permits that the process got from a count, plus the permits it
 * is currently asking for, stay within {@link Demand#guard} times the limit. Requests beyond that are refused without asking the store.
 * Such a refusal is not degraded; it looks like a refusal by the store. A decorator. Thread-safe.
 *
 * <p>The guard counts the permits that the store granted, with the store's times and algorithm, and the asks in progress. An ask that the
 * store refuses, or does not decide by the deadline, no longer counts. If a thousand callers arrive at the same time on a limit of a
 * hundred, only as many asks as the guard allows reach the store before the first answer arrives.
 *
 * <p><b>Accuracy.</b> The guard never admits a request. If no other ask is in progress, it never refuses a request that the store would
 * admit, because the store has counted at least the permits that this process got. Only asks in progress count as if they were granted. If
 * the store then refuses such an ask, because of another limit or because it was too much, a caller that asked meanwhile was refused
 * needlessly. This effect lasts at most for one call to the store. A reservation that another process settles counts here in full, so the
 * guard may also refuse requests for which that settlement has made room.
 *
 * <p>Concurrency limits have no guard, because their permits come back at any time. Looks always pass. While {@value #MOST_COUNTS} counts
 * are in use, further counts also have no guard.
 */
public final class Guard extends ForwardingEngine {

    static final int MOST_COUNTS = 100_000;

    /** The number of last settlements that the guard knows by their ids, so that a repetition gives back no permits again. */
    static final int MOST_SETTLEMENTS = 100_000;

    private static final int ENLARGED_KEPT = 10_000;
    private static final long SWEEP_NANOS = Duration.ofSeconds(1).toNanos();

    private final ConcurrentHashMap<CountKey, GuardedCount> counts = new ConcurrentHashMap<>();
    private final ConcurrentHashMap<Times, Limit> enlarged = new ConcurrentHashMap<>();
    private final SettledIds settled = new SettledIds(MOST_SETTLEMENTS);
    private final LongAdder refused = new LongAdder();
    private final AtomicLong sweptNanos;
    private final Clock clock;
    private volatile Seen seen;

    private record Times(Limit limit, double guard) {}

    /** A time of the store, and a local time at which the store's clock had not yet reached it. */
    private record Seen(long storeMicros, long nanos) {

        long micros(long nowNanos) {
            return storeMicros + TimeUnit.NANOSECONDS.toMicros(nowNanos - nanos);
        }
    }

    public Guard(Engine engine, Clock clock) {
        super(engine);
        this.clock = clock;
        this.seen = new Seen(clock.epochMicros(), clock.nanoTime());
        this.sweptNanos = new AtomicLong(clock.nanoTime() - SWEEP_NANOS);
    }

    /** Returns the number of asks that were refused so far without asking the store. */
    public long refused() {
        return refused.sum();
    }

    @Override
    public Answer decide(Ask ask) {
        if (!ask.charges() || ask.demands().stream().noneMatch(Guard::isGuarded)) {
            return engine.decide(ask);
        }
        Passing passing = new Passing(ask);
        EngineDecision tooMuch = passing.enter();
        if (tooMuch != null) {
            refused.increment();
            return tooMuch;
        }
        Answer answer;
        try {
            answer = engine.decide(ask);
        } catch (RuntimeException e) {
            passing.leave();
            throw e;
        }
        if (!(answer instanceof PendingOutcome pending)) {
            passing.answered((Outcome) answer);
            return answer;
        }
        Clock.Alarm alarm =
                ask.deadlineNanos() == Ask.NO_DEADLINE ? () -> {} : clock.at(ask.deadlineNanos(), passing::leave);
        CompletionStage<Outcome> outcome = pending.outcome().whenComplete((heard, failure) -> {
            alarm.cancel();
            passing.answered(heard);
        });
        return new PendingOutcome(outcome, pending.afterArrivals());
    }

    @Override
    public CompletionStage<Boolean> giveBack(List<Charge> charges) {
        long now = seen.micros(clock.nanoTime());
        for (Charge charge : charges) {
            if (!charge.isHeld()) {
                counts.computeIfPresent(CountKey.of(charge.limit(), charge.key()), (key, count) -> {
                    count.giveBack(charge, now);
                    return count;
                });
            }
        }
        return engine.giveBack(charges);
    }

    /**
     * Gives back in the guard the permits that the store has given back, once for each settlement. The store may report them only when the
     * settlement is repeated, because the first answer may be lost. A settlement that is repeated after {@value #MOST_SETTLEMENTS} others
     * is given back again, which makes the guard weaker but admits no request. A debt is not counted here. The store charges it at the time
     * of the reservation, which may belong to another process, and the guard could count it for longer.
     */
    @Override
    public CompletionStage<List<SettlementResult>> settle(List<Settlement> settlements) {
        List<Settlement> copy = List.copyOf(settlements);
        return engine.settle(copy).thenApply(results -> {
            long now = seen.micros(clock.nanoTime());
            for (int i = 0; i < results.size(); i++) {
                Settlement settlement = copy.get(i);
                Kind kind = results.get(i).kind();
                if (settlement.more() < 0 && (kind == Kind.SETTLED || kind == Kind.REPEATED)) {
                    counts.computeIfPresent(CountKey.of(settlement.limit(), settlement.key()), (key, count) -> {
                        if (settled.add(settlement)) {
                            count.settle(settlement, now);
                        }
                        return count;
                    });
                }
            }
            return results;
        });
    }

    /**
     * Drops counts of keys that match. The counts of the guard only shadow the counts of the store, so they are dropped but not added to
     * the result.
     */
    @Override
    public long forget(KeyMatch match) {
        counts.keySet().removeIf(key -> key.isOf(match));
        settled.forget(match);
        return engine.forget(match);
    }

    /** Returns the number of counts, for tests. */
    int size() {
        return counts.size();
    }

    /** Returns the number of settlements that are known by their ids, for tests. */
    int settlements() {
        return settled.size();
    }

    private static boolean isGuarded(Demand demand) {
        return demand.guard() != Demand.UNGUARDED && !demand.limit().kind().holds();
    }

    private Limit enlarged(Demand demand) {
        if (enlarged.size() > ENLARGED_KEPT) {
            enlarged.clear();
        }
        return enlarged.computeIfAbsent(
                new Times(demand.limit(), demand.guard()), times -> EnlargedLimit.of(times.limit, times.guard));
    }

    private boolean hasRoomFor(CountKey key, long nowMicros) {
        if (counts.size() < MOST_COUNTS || counts.containsKey(key)) {
            return true;
        }
        long now = clock.nanoTime();
        long swept = sweptNanos.get();
        if (now - swept >= SWEEP_NANOS && sweptNanos.compareAndSet(swept, now)) {
            counts.keySet()
                    .forEach(each ->
                            counts.computeIfPresent(each, (same, count) -> count.isIdle(nowMicros) ? null : count));
        }
        return counts.size() < MOST_COUNTS;
    }

    /**
     * Follows the store's clock, rather ahead of it than behind, because permits that have aged out in the store must not count against a
     * caller here.
     */
    private void see(EngineDecision decided, long askedNanos) {
        Seen last = seen;
        if (decided.atMicros() > last.micros(askedNanos)) {
            seen = new Seen(decided.atMicros(), askedNanos);
        }
    }

    /** An ask in progress. */
    private final class Passing {

        private final List<Demand> demands;
        private final @Nullable CountKey[] entered;
        private final @Nullable GuardedCount[] at;
        private final AtomicBoolean left = new AtomicBoolean();
        private final AtomicBoolean heard = new AtomicBoolean();
        private final long askedNanos = clock.nanoTime();

        Passing(Ask ask) {
            this.demands = ask.demands();
            this.entered = new CountKey[demands.size()];
            this.at = new GuardedCount[entered.length];
        }

        /** Records that the store is being asked. Returns a refusal if the ask would exceed the guard. */
        @Nullable
        EngineDecision enter() {
            long now = seen.micros(askedNanos);
            for (int i = 0; i < entered.length; i++) {
                Verdict tooMuch = isGuarded(demands.get(i)) ? enter(i, now) : null;
                if (tooMuch != null) {
                    leave();
                    return refused(i, tooMuch, now);
                }
            }
            return null;
        }

        private @Nullable Verdict enter(int i, long nowMicros) {
            Demand demand = demands.get(i);
            CountKey key = CountKey.of(demand.limit(), demand.key());
            if (!hasRoomFor(key, nowMicros)) {
                return null;
            }
            Limit most = enlarged(demand);
            @Nullable Verdict[] tooMuch = new Verdict[1];
            counts.compute(key, (same, known) -> {
                GuardedCount count = known == null ? new GuardedCount(most) : known;
                tooMuch[0] = count.enter(demand, most, nowMicros);
                at[i] = count;
                return count;
            });
            entered[i] = tooMuch[0] == null ? key : null;
            return tooMuch[0];
        }

        /** Called when the store is no longer being asked, or its answer is no longer awaited. */
        void leave() {
            if (left.compareAndSet(false, true)) {
                for (int i = 0; i < entered.length; i++) {
                    long permits = demands.get(i).permits();
                    on(i, count -> count.leave(permits));
                }
            }
        }

        void answered(@Nullable Outcome outcome) {
            if (!heard.compareAndSet(false, true)) {
                return;
            }
            if (outcome instanceof EngineDecision decided && decided.degraded() == null) {
                see(decided, askedNanos);
                charge(decided);
            }
            leave();
        }

        private void charge(EngineDecision decided) {
            for (int i = 0; i < entered.length; i++) {
                Verdict verdict = decided.verdicts().get(i);
                if (verdict.granted() > 0 && verdict.chargedAtMicros() != Verdict.FINAL) {
                    Demand demand = demands.get(i);
                    on(
                            i,
                            count -> count.charge(
                                    demand, enlarged(demand), verdict.granted(), verdict.chargedAtMicros()));
                }
            }
        }

        private void on(int i, Consumer<GuardedCount> action) {
            CountKey key = entered[i];
            if (key != null) {
                counts.computeIfPresent(key, (same, count) -> {
                    // If the entered count was forgotten, there may be another count of this key.
                    if (count == at[i]) {
                        action.accept(count);
                    }
                    return count;
                });
            }
        }

        private EngineDecision refused(int by, Verdict verdict, long nowMicros) {
            List<Verdict> verdicts = new ArrayList<>(entered.length);
            for (int i = 0; i < entered.length; i++) {
                verdicts.add(
                        i == by
                                ? verdict
                                : Verdict.unasked(demands.get(i).limit().capacity(), nowMicros));
            }
            return new EngineDecision(false, verdicts, nowMicros, null);
        }
    }
}
