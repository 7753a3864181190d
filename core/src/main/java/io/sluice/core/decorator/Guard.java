package io.sluice.core.decorator;

import io.sluice.core.limit.Concurrency;
import io.sluice.core.limit.Limit;
import io.sluice.core.spi.Answer;
import io.sluice.core.spi.Ask;
import io.sluice.core.spi.Charge;
import io.sluice.core.spi.CountKey;
import io.sluice.core.spi.Demand;
import io.sluice.core.spi.Engine;
import io.sluice.core.spi.EngineDecision;
import io.sluice.core.spi.Outcome;
import io.sluice.core.spi.PendingOutcome;
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
 * Keeps one process from asking a shared store for more than it can get: what it got of a count and what it asks for at the
 * moment stay within {@link Demand#guard} times the limit. What exceeds that is refused without asking, like by the store:
 * not degraded. A decorator; safe for use by many threads.
 *
 * <p>It counts what the store granted, at the times and by the algorithm of the store, and what is under way. What the store refuses or
 * does not decide by the deadline counts no longer. So a burst of a thousand callers on a limit of a hundred is at most so many
 * questions as the guard says, before the first answer is there.
 *
 * <p><b>What it gives up.</b> It never admits anything. To who asks after everybody else was answered it never refuses what the store
 * would admit: the store has counted at least what this process got. Only what is under way counts as if it were granted; if the
 * store then refuses it, because of another limit or because it was more, somebody who asked meanwhile was refused for
 * nothing. That lasts for one call to the store at most.
 *
 * <p>Concurrency has no guard: its permits come back at any time. Looks pass. While {@value #MOST_COUNTS} counts are in use,
 * further ones have no guard either.
 */
public final class Guard implements Engine {

    static final int MOST_COUNTS = 100_000;

    private static final int ENLARGED_KEPT = 10_000;
    private static final long SWEEP_NANOS = Duration.ofSeconds(1).toNanos();

    private final ConcurrentHashMap<CountKey, GuardedCount> counts = new ConcurrentHashMap<>();
    private final ConcurrentHashMap<Times, Limit> enlarged = new ConcurrentHashMap<>();
    private final LongAdder refused = new LongAdder();
    private final AtomicLong sweptNanos;
    private final Engine engine;
    private final Clock clock;
    private volatile Seen seen;

    private record Times(Limit limit, double guard) {}

    /** The store's time, and when it cannot have been that yet. */
    private record Seen(long storeMicros, long nanos) {

        long micros(long nowNanos) {
            return storeMicros + TimeUnit.NANOSECONDS.toMicros(nowNanos - nanos);
        }
    }

    public Guard(Engine engine, Clock clock) {
        this.engine = engine;
        this.clock = clock;
        this.seen = new Seen(clock.epochMicros(), clock.nanoTime());
        this.sweptNanos = new AtomicLong(clock.nanoTime() - SWEEP_NANOS);
    }

    /** How many asks were refused without asking so far. */
    public long refused() {
        return refused.sum();
    }

    @Override
    public String name() {
        return engine.name();
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
    public CompletionStage<Void> giveBack(List<Charge> charges) {
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

    @Override
    public CompletionStage<Boolean> renew(Charge charge) {
        return engine.renew(charge);
    }

    @Override
    public void close() {
        engine.close();
    }

    /** For tests: how many counts are kept. */
    int size() {
        return counts.size();
    }

    private static boolean isGuarded(Demand demand) {
        return demand.guard() != Demand.UNGUARDED && !(demand.limit() instanceof Concurrency);
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

    /** Ahead of the store's clock rather than behind it: what a count has forgotten there, it must not hold against anybody here. */
    private void see(EngineDecision decided, long askedNanos) {
        Seen last = seen;
        if (decided.atMicros() > last.micros(askedNanos)) {
            seen = new Seen(decided.atMicros(), askedNanos);
        }
    }

    /** An ask on its way through. */
    private final class Passing {

        private final List<Demand> demands;
        private final @Nullable CountKey[] entered;
        private final AtomicBoolean left = new AtomicBoolean();
        private final AtomicBoolean heard = new AtomicBoolean();
        private final long askedNanos = clock.nanoTime();

        Passing(Ask ask) {
            this.demands = ask.demands();
            this.entered = new CountKey[demands.size()];
        }

        /** Notes that the store is asked; or the refusal if that would be too much. */
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
                return count;
            });
            entered[i] = tooMuch[0] == null ? key : null;
            return tooMuch[0];
        }

        /** The store is no longer asked, or not waited for. */
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
                    action.accept(count);
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
