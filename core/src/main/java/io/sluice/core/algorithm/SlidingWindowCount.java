package io.sluice.core.algorithm;

import io.sluice.core.limit.SlidingWindow;
import io.sluice.core.spi.Charge;
import io.sluice.core.spi.Demand;
import io.sluice.core.spi.Settlement;
import io.sluice.core.spi.Verdict;
import java.math.BigInteger;
import java.util.Arrays;

/**
 * The admitted permits, by the slice of time in which they were admitted. A ring of the slices that can matter: the {@code
 * newest} slice with permits, and as many slices before it as the window has.
 */
final class SlidingWindowCount extends Count {

    private SlidingWindow limit;
    private final long[] counts;
    private long newest;

    /** The present slice and time that {@link #grant} found, and whether time stepped back far. */
    private long present;

    private long micros;
    private boolean rebased;

    SlidingWindowCount(SlidingWindow limit) {
        this.limit = limit;
        this.counts = new long[limit.slices() + 1];
    }

    @Override
    public long grant(Demand demand, long nowMicros) {
        limit = (SlidingWindow) demand.limit();
        age(nowMicros);
        return ofRoom(demand, room(estimate()));
    }

    @Override
    public Verdict verdict(Demand demand, long grant, boolean charged, long nowMicros) {
        boolean never = demand.needed() > limit.limit();
        boolean unused = !charged && sum(present - limit.slices()) == 0;
        long last = charged || rebased ? present : newest;
        return new Verdict(
                grant > 0,
                charged ? grant : 0,
                room(estimate() + (charged ? grant : 0)),
                grant > 0 ? 0 : never ? Verdict.NEVER : whenFits(demand.needed()) - nowMicros,
                unused ? 0 : endOf(last) - nowMicros,
                0,
                micros,
                grant == 0 && demand.keep() > 0 && isKept(demand, grant, room(estimate())));
    }

    @Override
    public void charge(Demand demand, long granted, long nowMicros) {
        catchUp();
        if (newest < present) {
            newest = present;
        }
        counts[slot(present)] += granted;
    }

    @Override
    public void refuse(long nowMicros) {
        if (rebased) {
            catchUp();
        }
    }

    @Override
    public void giveBack(Charge charge, long nowMicros) {
        age(nowMicros);
        catchUp();
        long slice = Math.floorDiv(charge.chargedAtMicros(), limit.sliceMicros());
        if (slice <= newest && slice >= newest - limit.slices()) {
            counts[slot(slice)] = Math.max(0, counts[slot(slice)] - charge.permits());
        }
        dropEmptied();
    }

    /** Changes the slice of the reservation while it counts. Later, a charge goes to the present slice. */
    @Override
    public long settle(Settlement settlement, long nowMicros) {
        if (settlement.more() == 0) {
            return 0;
        }
        age(nowMicros);
        catchUp();
        long reserved = Math.floorDiv(settlement.chargedAtMicros(), limit.sliceMicros());
        if (count(reserved) == 0 && settlement.more() < 0) {
            return 0;
        }
        long slice = count(reserved) > 0 ? reserved : present;
        newest = Math.max(newest, slice);
        long before = counts[slot(slice)];
        long most = MOST_USED - (sum(newest - limit.slices()) - before);
        long after = Math.min(most, settled(before, settlement.more()));
        counts[slot(slice)] = after;
        dropEmptied();
        return after - before;
    }

    private void dropEmptied() {
        long oldest = newest - limit.slices();
        while (newest > oldest && counts[slot(newest)] == 0) {
            newest--;
        }
    }

    @Override
    public boolean isUnused(long nowMicros) {
        return endOf(newest) <= nowMicros || Arrays.stream(counts).allMatch(count -> count == 0);
    }

    private void age(long nowMicros) {
        long length = limit.sliceMicros();
        present = Math.floorDiv(nowMicros, length);
        micros = nowMicros;
        rebased = false;
        if (present < newest && sum(newest - limit.slices()) == 0) {
            // All permits were given back, so the time need not be kept.
            newest = present;
        } else if (present < newest) {
            rebased = StepBack.rebases(newest * length, nowMicros);
            if (!rebased) {
                present = newest;
                micros = newest * length;
            }
        }
    }

    /**
     * Applies the results of {@link #age}: drops the slices that have ended, and moves all permits to the present if time
     * stepped back.
     */
    private void catchUp() {
        if (rebased) {
            long all = sum(newest - limit.slices());
            Arrays.fill(counts, 0);
            counts[slot(present)] = all;
            newest = present;
            rebased = false;
            return;
        }
        long firstLive = present - limit.slices();
        for (long slice = newest - limit.slices(); slice < firstLive && slice <= newest; slice++) {
            counts[slot(slice)] = 0;
        }
        if (newest < firstLive) {
            newest = present;
        }
    }

    /** Returns the permits that count at the time of {@link #age}. */
    private long estimate() {
        long oldest = present - limit.slices();
        if (rebased || !limit.weighted()) {
            return rebased ? sum(newest - limit.slices()) : sum(oldest);
        }
        long left = limit.sliceMicros() - (micros - present * limit.sliceMicros());
        return sum(oldest + 1) + mulDiv(count(oldest), left, limit.sliceMicros(), true);
    }

    /** Returns the first moment at which {@code permits} fit if no other caller comes. */
    private long whenFits(long permits) {
        long length = limit.sliceMicros();
        if (rebased) {
            return limit.weighted() ? whenSpreadFits(present, sum(newest - limit.slices()), permits) : endOf(present);
        }
        long rest = sum(present - limit.slices() + 1);
        for (long slice = present; ; slice++) {
            long oldest = slice - limit.slices();
            long spare = limit.limit() - permits - rest;
            if (spare >= 0) {
                long part = count(oldest);
                if (spare >= part) {
                    return Math.max(micros, slice * length);
                }
                return limit.weighted()
                        ? slice * length + length - mulDiv(spare, length, part, false)
                        : (slice + 1) * length;
            }
            rest -= count(oldest + 1);
        }
    }

    /** Returns the time at which {@code used} permits, admitted in one slice, have faded enough to leave room. */
    private long whenSpreadFits(long slice, long used, long permits) {
        long spare = limit.limit() - permits;
        return endOf(slice) - mulDiv(spare, limit.sliceMicros(), used, false);
    }

    private long endOf(long slice) {
        return (slice + limit.slices() + 1) * limit.sliceMicros();
    }

    /** Returns the permits in the slices from {@code first} on. */
    private long sum(long first) {
        long sum = 0;
        for (long slice = Math.max(first, newest - limit.slices()); slice <= newest; slice++) {
            sum += counts[slot(slice)];
        }
        return sum;
    }

    private long count(long slice) {
        return slice <= newest && slice >= newest - limit.slices() ? counts[slot(slice)] : 0;
    }

    private int slot(long slice) {
        return (int) Math.floorMod(slice, (long) counts.length);
    }

    private long room(long counted) {
        return Math.max(0, limit.limit() - counted);
    }

    /** Returns {@code a × b / divisor}, rounded up or down. */
    private static long mulDiv(long a, long b, long divisor, boolean up) {
        if (Math.multiplyHigh(a, b) == 0 && a * b >= 0 && a * b <= Long.MAX_VALUE - divisor) {
            return (a * b + (up ? divisor - 1 : 0)) / divisor;
        }
        BigInteger product = BigInteger.valueOf(a).multiply(BigInteger.valueOf(b));
        BigInteger rounded = up ? product.add(BigInteger.valueOf(divisor - 1)) : product;
        return rounded.divide(BigInteger.valueOf(divisor)).longValueExact();
    }
}
