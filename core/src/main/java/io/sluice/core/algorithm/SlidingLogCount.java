package io.sluice.core.algorithm;

import io.sluice.core.limit.SlidingLog;
import io.sluice.core.spi.Charge;
import io.sluice.core.spi.Demand;
import io.sluice.core.spi.Verdict;

/** All admissions that still count, oldest first: a ring of times and permits. The Lua twin is a list. */
final class SlidingLogCount extends Count {

    private static final int SMALLEST = 4;

    /**
     * Refusals do not trim the log until it has this many expired entries; from there on, skipping them costs more than
     * trimming.
     */
    private static final int TRIMMED_BY_REFUSALS = 64;

    private SlidingLog limit;
    private long[] times = new long[SMALLEST];
    private long[] permits = new long[SMALLEST];
    private int head;
    private int size;
    private long used;
    private View view = new View(0, 0, 0, false);

    /**
     * The log at a given time.
     *
     * @param micros the time that the log uses as the present
     * @param ended how many entries no longer count
     * @param used the permits of the entries that count
     * @param rebased whether time stepped back too far to wait for; all that was used then counts as admitted at the new time
     */
    private record View(long micros, int ended, long used, boolean rebased) {}

    SlidingLogCount(SlidingLog limit) {
        this.limit = limit;
    }

    /** A log has no later slots to reserve, so it never makes a demand wait. */
    @Override
    public long grant(Demand demand, long nowMicros) {
        limit = (SlidingLog) demand.limit();
        view = at(nowMicros);
        return ofRoom(demand, room(view.used));
    }

    @Override
    public Verdict verdict(Demand demand, long grant, boolean charged, long nowMicros) {
        long after = view.used + (charged ? grant : 0);
        boolean never = demand.atLeast() > limit.limit();
        long newest = charged || view.rebased ? view.micros : after == 0 ? 0 : times[slot(size - 1)];
        return new Verdict(
                grant > 0,
                charged ? grant : 0,
                room(after),
                grant > 0 ? 0 : never ? Verdict.NEVER : untilFreed(demand.atLeast(), nowMicros),
                after == 0 ? 0 : newest + limit.windowMicros() - nowMicros,
                0,
                view.micros);
    }

    @Override
    public void charge(Demand demand, long granted, long nowMicros) {
        settle();
        append(view.micros, granted);
    }

    @Override
    public void refuse(long nowMicros) {
        if (view.rebased || view.ended > TRIMMED_BY_REFUSALS) {
            settle();
        }
    }

    /** Takes back the permits of the admissions at exactly the time of the charge. */
    @Override
    public void giveBack(Charge charge, long nowMicros) {
        view = at(nowMicros);
        settle();
        long left = charge.permits();
        long at = charge.chargedAtMicros();
        for (int i = size - 1; i >= 0 && left > 0 && times[slot(i)] >= at; i--) {
            if (times[slot(i)] == at) {
                long back = Math.min(left, permits[slot(i)]);
                permits[slot(i)] -= back;
                used -= back;
                left -= back;
            }
        }
        dropEmptied(at);
    }

    /** Drops the entries from a time on that hold no permits any more, and closes the gaps. */
    private void dropEmptied(long fromMicros) {
        int first = size;
        while (first > 0 && times[slot(first - 1)] >= fromMicros) {
            first--;
        }
        int kept = first;
        for (int i = first; i < size; i++) {
            if (permits[slot(i)] > 0) {
                times[slot(kept)] = times[slot(i)];
                permits[slot(kept)] = permits[slot(i)];
                kept++;
            }
        }
        size = kept;
    }

    @Override
    public boolean isUnused(long nowMicros) {
        return at(nowMicros).used == 0;
    }

    /** Returns how many entries it holds. */
    int entries() {
        return size;
    }

    private View at(long nowMicros) {
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

    /** Drops the entries that no longer count. */
    private void settle() {
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

    private long untilFreed(long wanted, long nowMicros) {
        if (view.rebased) {
            return limit.windowMicros();
        }
        long left = view.used;
        for (int i = view.ended; i < size; i++) {
            left -= permits[slot(i)];
            if (left + wanted <= limit.limit()) {
                return times[slot(i)] + limit.windowMicros() - nowMicros;
            }
        }
        return Verdict.NEVER;
    }

    private long room(long counted) {
        return Math.max(0, limit.limit() - counted);
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
