package io.sluice.core;

import io.sluice.core.limit.Algorithm;
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
 * A waiting caller: its ask, the end of its wait, and its future. {@link WaitQueues} tracks its place, and {@link WaitScheduler} handles
 * its answers and the end of its wait. Only one thread at a time changes its ask: the thread that has its answer.
 */
final class Waiter<T> {

    /** The result if waiting cannot help, or not in time. */
    static final int NOTHING = -1;

    /** The minimum pause between two asks, even if the engine refuses with a retry time of zero. */
    private static final long SHORTEST_PAUSE_MICROS = 1_000;

    /**
     * The first and the longest interval between asks for permits that may be returned elsewhere without notice. The interval
     * doubles from one to the other.
     */
    private static final long FIRST_PACE_MICROS = 50_000;

    private static final long LAST_PACE_MICROS = 250_000;

    private static final Alarm NONE = () -> {};

    /** The order of arrival: earlier waiters have smaller tickets. */
    final long ticket;

    final long startNanos;
    final long untilNanos;

    /** The caller's future. If the caller completes it, the caller has stopped waiting. */
    final CompletableFuture<T> place = new CompletableFuture<>();

    /** The queue it stands in. Only {@link WaitQueues} uses this field and the two below. */
    @Nullable
    WaitQueue line;

    /** True if its time has passed. */
    boolean timeUp;

    /** True if the moment has come at which it should ask again. */
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

    /** Returns the counts it asks for, in the order of its demands. */
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
     * Returns the ask to make now. It accepts later time slots only if every limit has slots. Otherwise a window or a
     * concurrency permit would be charged now for a request that proceeds later, and would be counted at the wrong time.
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
     * Returns the position of the count that it must wait for after a refusal: the count that delays it longest. Returns {@link #NOTHING}
     * if one of its counts will not let it pass in time. Only held permits may come back sooner than their limit can predict.
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
            boolean mayComeBack = demand.limit().kind().holds()
                    && demand.needed() <= demand.limit().capacity();
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
     * Returns the pause before the next ask: until the moment that the refusal named, or less if the waiter waits for permits that may be
     * returned elsewhere without notice. In that case it asks at its own interval, which grows, but not before its other limits let it
     * pass.
     *
     * @param by the count it waits for
     * @param shared whether other processes return permits without notice
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
        return ask.demands().get(demand).limit().kind().holds();
    }

    /** Changes the holder names of its permits, because an ask whose answer was lost may have charged permits under the old names. */
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

    /** Answers the caller. Returns false if the caller has stopped waiting. */
    boolean tell(Decision decision) {
        return place.complete(as.apply(decision));
    }

    /** Keeps a decision until its time slot comes. */
    void reserve(Decision decision) {
        reserved.set(decision);
    }

    /** Returns the decision that was kept, to the first thread that takes it. */
    @Nullable
    Decision takeReserved() {
        return reserved.getAndSet(null);
    }

    void setDeadline(Alarm next) {
        set(deadline, next);
    }

    /** Sets the next alarm and cancels the previous alarm. */
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

    /**
     * Returns whether a single ask decides. A token bucket has no time slots for partial grants, nor for demands that keep permits for
     * other callers, so the waiter must queue for them.
     */
    private static boolean hasSlots(Demand demand) {
        Algorithm kind = demand.limit().kind();
        return kind.queues() || (kind.grantsAhead() && demand.atLeast() == demand.permits() && demand.keep() == 0);
    }
}
