package io.sluice.core;

import io.sluice.core.limit.Concurrency;
import io.sluice.core.limit.LeakyBucket;
import io.sluice.core.limit.TokenBucket;
import io.sluice.core.spi.Ask;
import io.sluice.core.spi.CountKey;
import io.sluice.core.spi.Demand;
import io.sluice.core.spi.Verdict;
import io.sluice.core.time.Clock.Alarm;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * One who waits: what it asks, until when it waits, and the future it was given. Where it stands belongs to {@link WaitQueues}; what
 * happens to it to {@link WaitScheduler}. Only one thread at a time, the one that has its answer, changes what it asks.
 */
final class Waiter<T> {

    /** Waiting cannot help, or not in time. */
    static final int NOTHING = -1;

    /** Not even an engine that refuses and says "at once" is asked without a pause. */
    private static final long SHORTEST_PAUSE_MICROS = 1_000;

    /** How soon it asks again for permits that may come back unheard, and how seldom after some times. */
    private static final long FIRST_PACE_MICROS = 50_000;

    private static final long LAST_PACE_MICROS = 250_000;

    private static final Alarm NONE = () -> {};

    /** Who came first has the smaller one. */
    final long ticket;

    final long startNanos;
    final long untilNanos;

    /** What the caller holds. Completed by anybody but us, it means that the caller waits no longer. */
    final CompletableFuture<T> place = new CompletableFuture<>();

    /** Where it stands; only {@link WaitQueues} touches this and the two below. */
    @Nullable
    WaitQueue line;

    /** Its time is up. */
    boolean timeUp;

    /** The moment it was told to ask again at has come. */
    boolean rung;

    private final Function<Decision, T> as;
    private final boolean slotsOnly;
    private final long answerNanos;
    private final AtomicReference<@Nullable Decision> reserved = new AtomicReference<>();
    private final AtomicReference<Alarm> deadline = new AtomicReference<>(NONE);
    private final AtomicReference<Alarm> alarm = new AtomicReference<>(NONE);
    private @Nullable List<CountKey> counts;
    private Ask ask;
    private int renamed;
    private long paceMicros = FIRST_PACE_MICROS;

    Waiter(long ticket, Ask ask, long nowNanos, long maxWaitMicros, Function<Decision, T> as) {
        this.ticket = ticket;
        this.ask = ask;
        this.startNanos = nowNanos;
        this.untilNanos = nowNanos + maxWaitMicros * 1_000;
        this.as = as;
        this.answerNanos = ask.deadlineNanos() == Ask.NO_DEADLINE ? Ask.NO_DEADLINE : ask.deadlineNanos() - nowNanos;
        this.slotsOnly = ask.demands().stream().allMatch(Waiter::hasSlots);
    }

    /** The counts it asks for, in the order of its demands. */
    List<CountKey> counts() {
        List<CountKey> known = counts;
        if (known == null) {
            known = ask.demands().stream()
                    .map(demand -> CountKey.of(demand.limit(), demand.key()))
                    .toList();
            counts = known;
        }
        return known;
    }

    /**
     * What it asks now. Later slots only if every limit has them: a window or a permit that is charged now for a request that
     * goes on later would be counted at the wrong time.
     */
    Ask askAt(long nowNanos) {
        long wait = slotsOnly ? Math.max(0, untilNanos - nowNanos) / 1_000 : 0;
        List<Demand> demands = new ArrayList<>(ask.demands().size());
        for (Demand demand : ask.demands()) {
            demands.add(demand.waitingUpTo(wait));
        }
        return new Ask(
                demands,
                Ask.Purpose.CHARGE,
                answerNanos == Ask.NO_DEADLINE ? Ask.NO_DEADLINE : nowNanos + answerNanos,
                ask.onFailure(),
                ask.localShare(),
                ask.ruleVersion());
    }

    /**
     * Which of its counts it has to wait for after a refusal: the one that keeps it longest. {@link #NOTHING} if one of them
     * will not let it pass in time: only permits that are held may come back sooner than their limit can say.
     */
    int keptBy(Decision refusal, long nowNanos) {
        long leftMicros = (untilNanos - nowNanos) / 1_000;
        List<Verdict> verdicts = refusal.outcome().verdicts();
        int longest = NOTHING;
        for (int i = 0; i < verdicts.size() && leftMicros > 0; i++) {
            Verdict verdict = verdicts.get(i);
            if (verdict.fits()) {
                continue;
            }
            Demand demand = ask.demands().get(i);
            boolean mayComeBack = demand.limit() instanceof Concurrency
                    && demand.atLeast() <= demand.limit().capacity();
            boolean noSlotInTime = slotsOnly && refusal.degraded() == null;
            if (noSlotInTime || (!mayComeBack && verdict.retryAfterMicros() > leftMicros)) {
                return NOTHING;
            }
            if (longest == NOTHING
                    || verdict.retryAfterMicros() > verdicts.get(longest).retryAfterMicros()) {
                longest = i;
            }
        }
        return longest;
    }

    /**
     * How long it lets pass before it asks again: until the moment that was named, or less if it waits for permits that may be given
     * back where nobody here hears of it. Then it asks at a pace of its own, which slows down, but not before its other limits let it.
     *
     * @param by the count it waits for
     * @param shared whether others give back unheard
     */
    long pauseMicros(Decision refusal, int by, boolean shared) {
        List<Verdict> verdicts = refusal.outcome().verdicts();
        long retryMicros = verdicts.get(by).retryAfterMicros();
        long namedMicros = retryMicros == 0 ? SHORTEST_PAUSE_MICROS : retryMicros;
        if (!shared || !isHeld(by)) {
            return namedMicros;
        }
        long pauseMicros = paceMicros;
        paceMicros = Math.min(LAST_PACE_MICROS, 2 * paceMicros);
        for (int i = 0; i < verdicts.size(); i++) {
            if (!verdicts.get(i).fits() && !isHeld(i)) {
                pauseMicros = Math.max(pauseMicros, verdicts.get(i).retryAfterMicros());
            }
        }
        return Math.min(namedMicros, pauseMicros);
    }

    private boolean isHeld(int demand) {
        return ask.demands().get(demand).limit() instanceof Concurrency;
    }

    /** Goes by other names for what it will hold, because an ask whose answer was lost may have charged the old ones. */
    void rename() {
        renamed++;
        List<Demand> demands = new ArrayList<>(ask.demands().size());
        for (Demand demand : ask.demands()) {
            String holder = demand.holder();
            int end = renamed == 1 ? holder.length() : holder.lastIndexOf('~');
            demands.add(holder.isEmpty() ? demand : demand.heldBy(holder.substring(0, end) + "~" + renamed));
        }
        ask = new Ask(
                demands, ask.purpose(), ask.deadlineNanos(), ask.onFailure(), ask.localShare(), ask.ruleVersion());
    }

    /** Answers the caller; false if it waits no longer. */
    boolean tell(Decision decision) {
        return place.complete(as.apply(decision));
    }

    /** Keeps a decision until its slot comes. */
    void reserve(Decision decision) {
        reserved.set(decision);
    }

    /** The decision that was kept, for the first who takes it. */
    @Nullable
    Decision takeReserved() {
        return reserved.getAndSet(null);
    }

    void setDeadline(Alarm next) {
        set(deadline, next);
    }

    /** Sets the one alarm for what it waits for, instead of the one before. */
    void setAlarm(Alarm next) {
        set(alarm, next);
    }

    void cancelAlarms() {
        deadline.getAndSet(NONE).cancel();
        alarm.getAndSet(NONE).cancel();
    }

    private void set(AtomicReference<Alarm> which, Alarm next) {
        which.getAndSet(next).cancel();
        if (place.isDone()) {
            which.getAndSet(NONE).cancel();
        }
    }

    /** Whether one ask settles it. A token bucket has no slots for a part of what is wanted, that has to be waited for. */
    private static boolean hasSlots(Demand demand) {
        return demand.limit() instanceof LeakyBucket
                || (demand.limit() instanceof TokenBucket && demand.atLeast() == demand.permits());
    }
}
