package io.sluice.core.algorithm;

import io.sluice.core.SlidingLog;
import io.sluice.core.spi.Demand;
import io.sluice.core.spi.Verdict;

/**
 * The admissions of a {@link SlidingLog}, oldest first: a ring of times and permits. Not thread-safe; reads no clock. The Lua
 * twin is the log part of {@code decide.lua}.
 *
 * <p>A question is put to the log {@linkplain #at as it stands} at a time; only {@link #charge}, {@link #giveBack} and {@link
 * #refuse} change it.
 */
public final class AdmissionLog {

    private static final int SMALLEST = 4;

    /** Refusals leave the log alone until so many of its entries have ended that skipping them costs more. */
    private static final int TRIMMED_BY_REFUSALS = 64;

    private long[] times = new long[SMALLEST];
    private long[] permits = new long[SMALLEST];
    private int head;
    private int size;
    private long used;

    /**
     * The log as it stands at a time.
     *
     * @param micros the time that the log takes the present for
     * @param ended how many entries no longer count
     * @param used the permits of those that do
     * @param rebased time stepped back too far to wait, and all that was used counts as admitted at the new time
     */
    public record View(long micros, int ended, long used, boolean rebased) {}

    /** The log as it stands at {@code nowMicros}; changes nothing. */
    public View at(SlidingLog limit, long nowMicros) {
        if (size == 0) {
            return new View(nowMicros, 0, 0, false);
        }
        long last = times[slot(size - 1)];
        if (StepBack.rebases(last, nowMicros)) {
            return new View(nowMicros, 0, used, true);
        }
        long now = StepBack.effective(last, nowMicros);
        long cutoff = now - limit.windowMicros();
        long counts = used;
        int ended = 0;
        while (ended < size && times[slot(ended)] <= cutoff) {
            counts -= permits[slot(ended)];
            ended++;
        }
        return new View(now, ended, counts, false);
    }

    /** How many permits the demand gets; 0 refuses. A log has no later slots to reserve: it never waits. */
    public static long grant(SlidingLog limit, View view, Demand demand) {
        long room = Math.max(0, limit.limit() - view.used);
        return demand.permits() <= room ? demand.permits() : demand.atLeast() <= room ? room : 0;
    }

    /**
     * What the demand is told, before anything is changed.
     *
     * @param grant what {@link #grant} said of {@code view}
     * @param charged whether the grant is charged, or the demand only looks or fails on another limit
     */
    public Verdict verdict(SlidingLog limit, View view, Demand demand, long grant, boolean charged, long nowMicros) {
        long after = view.used + (charged ? grant : 0);
        long retry = grant > 0
                ? 0
                : demand.atLeast() > limit.limit()
                        ? Verdict.NEVER
                        : untilFreed(limit, view, view.used + demand.atLeast() - limit.limit(), nowMicros);
        long newest = charged || view.rebased ? view.micros : after == 0 ? 0 : times[slot(size - 1)];
        long reset = after == 0 ? 0 : newest + limit.windowMicros() - nowMicros;
        return new Verdict(
                grant > 0, charged ? grant : 0, Math.max(0, limit.limit() - after), retry, reset, 0, view.micros);
    }

    /** Remembers an admission, and forgets what no longer counts. */
    public void charge(View view, long granted) {
        settle(view);
        append(view.micros, granted);
    }

    /** What even a refusal has to write down: that time stepped back, or it would never go on from there. */
    public void refuse(View view) {
        if (view.rebased || view.ended > TRIMMED_BY_REFUSALS) {
            settle(view);
        }
    }

    /** Takes back up to {@code granted} permits of the admissions at exactly {@code chargedAtMicros} that still count. */
    public void giveBack(View view, long granted, long chargedAtMicros) {
        settle(view);
        long left = granted;
        for (int i = size - 1; i >= 0 && left > 0 && times[slot(i)] >= chargedAtMicros; i--) {
            if (times[slot(i)] == chargedAtMicros) {
                long back = Math.min(left, permits[slot(i)]);
                permits[slot(i)] -= back;
                used -= back;
                left -= back;
            }
        }
        while (size > 0 && permits[slot(size - 1)] == 0) {
            size--;
        }
    }

    private void settle(View view) {
        if (view.rebased) {
            clear();
            append(view.micros, view.used);
        } else {
            head = slot(view.ended);
            size -= view.ended;
            used = view.used;
        }
    }

    private void append(long atMicros, long granted) {
        if (size == times.length) {
            grow();
        }
        int slot = slot(size);
        times[slot] = atMicros;
        permits[slot] = granted;
        size++;
        used += granted;
    }

    private long untilFreed(SlidingLog limit, View view, long needed, long nowMicros) {
        if (view.rebased) {
            return limit.windowMicros();
        }
        long freed = 0;
        for (int i = view.ended; i < size; i++) {
            freed += permits[slot(i)];
            if (freed >= needed) {
                return times[slot(i)] + limit.windowMicros() - nowMicros;
            }
        }
        return Verdict.NEVER;
    }

    private void clear() {
        head = 0;
        size = 0;
        used = 0;
    }

    private int slot(int index) {
        int slot = head + index;
        return slot < times.length ? slot : slot - times.length;
    }

    private void grow() {
        long[] moreTimes = new long[times.length * 2];
        long[] morePermits = new long[times.length * 2];
        for (int i = 0; i < size; i++) {
            moreTimes[i] = times[slot(i)];
            morePermits[i] = permits[slot(i)];
        }
        times = moreTimes;
        permits = morePermits;
        head = 0;
    }
}
