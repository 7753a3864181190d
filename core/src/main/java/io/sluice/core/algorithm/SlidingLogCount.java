package io.sluice.core.algorithm;

import io.sluice.core.limit.SlidingLog;
import io.sluice.core.spi.Charge;
import io.sluice.core.spi.Demand;
import io.sluice.core.spi.Settlement;
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
     * @param ended the number of entries that no longer count
     * @param used the permits of the entries that count
     * @param rebased whether time stepped back too far to wait for; all used permits then count as admitted at the new time
     */
    private record View(long micros, int ended, long used, boolean rebased) {}

    SlidingLogCount(SlidingLog limit) {
        this.limit = limit;
    }

    /** Returns the grant for the present time. A log has no later slots to reserve, so it never makes a demand wait. */
    @Override
    public long grant(Demand demand, long nowMicros) {
        limit = (SlidingLog) demand.limit();
        view = at(nowMicros);
        return ofRoom(demand, room(view.used));
    }

    @Override
    public Verdict verdict(Demand demand, long grant, boolean charged, long nowMicros) {
        long after = view.used + (charged ? grant : 0);
        boolean never = demand.needed() > limit.limit();
        long newest = charged || view.rebased ? view.micros : after == 0 ? 0 : times[slot(size - 1)];
        return new Verdict(
                grant > 0,
                charged ? grant : 0,
                room(after),
                grant > 0 ? 0 : never ? Verdict.NEVER : untilFreed(demand.needed(), nowMicros),
                after == 0 ? 0 : newest + limit.windowMicros() - nowMicros,
                0,
                view.micros,
                isKept(demand, grant, room(view.used)));
    }

    @Override
    public void charge(Demand demand, long granted, long nowMicros) {
        catchUp();
        append(view.micros, granted);
    }

    @Override
    public void refuse(long nowMicros) {
        if (view.rebased || view.ended > TRIMMED_BY_REFUSALS) {
            catchUp();
        }
    }

    /** Takes back the permits of the admissions at exactly the time of the charge. */
    @Override
    public void giveBack(Charge charge, long nowMicros) {
        view = at(nowMicros);
        catchUp();
        long unused = takeBack(charge.permits(), charge.chargedAtMicros());
    }

    /** Changes the entry of the reservation while it counts. Later, a charge is a new entry. */
    @Override
    public long settle(Settlement settlement, long nowMicros) {
        if (settlement.more() == 0) {
            return 0;
        }
        view = at(nowMicros);
        catchUp();
        if (settlement.more() < 0) {
            return -takeBack(-settlement.more(), settlement.chargedAtMicros());
        }
        long more = Math.min(settlement.more(), MOST_USED - used);
        int reserved = size - 1;
        while (reserved >= 0 && times[slot(reserved)] > settlement.chargedAtMicros()) {
            reserved--;
        }
        if (reserved >= 0 && times[slot(reserved)] == settlement.chargedAtMicros()) {
            permits[slot(reserved)] += more;
            used += more;
        } else if (more > 0) {
            append(view.micros, more);
        }
        return more;
    }

    /** Takes back permits that were admitted at exactly a time. Returns their number. */
    private long takeBack(long wanted, long at) {
        long left = wanted;
        for (int i = size - 1; i >= 0 && left > 0 && times[slot(i)] >= at; i--) {
            if (times[slot(i)] == at) {
                long back = Math.min(left, permits[slot(i)]);
                permits[slot(i)] -= back;
                used -= back;
                left -= back;
            }
        }
        dropEmptied(at);
        return wanted - left;
    }

    /** Drops the entries from a time on that no longer hold permits, and closes the gaps. */
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

    /** Returns the number of entries. */
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
    private void catchUp() {
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
