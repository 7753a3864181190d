package io.sluice.core.algorithm;

import io.sluice.core.limit.Concurrency;
import io.sluice.core.spi.Charge;
import io.sluice.core.spi.Demand;
import io.sluice.core.spi.Verdict;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * Permits in flight, by holder. A holder that does not renew within {@code ttl} loses its permits. If time stepped back so far that a
 * permit would be held for more than a second beyond its {@code ttl}, its time starts again.
 *
 * <p>A decision reads only the permits that have expired, and a refusal also the permits that expire next; neither reads all permits.
 */
final class ConcurrencyCount extends Count {

    /**
     * Refusals do not remove expired permits until there are this many holders of them; from there on, skipping them costs more than
     * removing them.
     */
    private static final int REMOVED_BY_REFUSALS = 64;

    private final Map<String, Held> holders = new HashMap<>();

    /** All held permits, in the order of their expiry. */
    private final TreeSet<Held> byEnd =
            new TreeSet<>(Comparator.comparingLong(Held::untilMicros).thenComparing(Held::holder));

    private Concurrency limit;
    private long total;
    private long used;
    private int expired;
    private boolean rebased;

    private record Held(String holder, long permits, long untilMicros) {}

    ConcurrencyCount(Concurrency limit) {
        this.limit = limit;
    }

    @Override
    public long grant(Demand demand, long nowMicros) {
        limit = (Concurrency) demand.limit();
        age(nowMicros);
        return isHeld(demand.holder(), nowMicros) ? 0 : ofRoom(demand, room(used));
    }

    @Override
    public Verdict verdict(Demand demand, long grant, boolean charged, long nowMicros) {
        long after = used + (charged ? grant : 0);
        boolean never = demand.needed() > limit.limit();
        return new Verdict(
                grant > 0,
                charged ? grant : 0,
                room(after),
                grant > 0 ? 0 : never ? Verdict.NEVER : retryAfter(demand, nowMicros),
                after == 0 ? 0 : Verdict.NEVER,
                0,
                nowMicros,
                isKept(demand, grant, room(used)) && !isHeld(demand.holder(), nowMicros));
    }

    @Override
    public void charge(Demand demand, long granted, long nowMicros) {
        catchUp(nowMicros);
        put(new Held(demand.holder(), granted, nowMicros + limit.windowMicros()));
        used += granted;
    }

    @Override
    public void refuse(long nowMicros) {
        if (rebased || expired > REMOVED_BY_REFUSALS) {
            catchUp(nowMicros);
        }
    }

    /**
     * Gives back the holder's permits. A charge of an unknown holder has no effect, for any limit that it names, because charges may come
     * from outside.
     */
    @Override
    public void giveBack(Charge charge, long nowMicros) {
        if (!isHeld(charge.holder(), nowMicros)) {
            return;
        }
        limit = (Concurrency) charge.limit();
        age(nowMicros);
        catchUp(nowMicros);
        remove(charge.holder());
    }

    @Override
    public boolean renew(Charge charge, long nowMicros) {
        if (!isHeld(charge.holder(), nowMicros)) {
            return false;
        }
        limit = (Concurrency) charge.limit();
        age(nowMicros);
        catchUp(nowMicros);
        Held held = remove(charge.holder());
        if (held == null) {
            return false;
        }
        put(new Held(held.holder, held.permits, nowMicros + limit.windowMicros()));
        return true;
    }

    @Override
    public boolean isUnused(long nowMicros) {
        return byEnd.isEmpty() || byEnd.last().untilMicros <= nowMicros;
    }

    private void age(long nowMicros) {
        used = total;
        expired = 0;
        for (Held held : byEnd) {
            if (held.untilMicros > nowMicros) {
                break;
            }
            used -= held.permits;
            expired++;
        }
        rebased = !byEnd.isEmpty() && StepBack.rebases(byEnd.last().untilMicros, nowMicros + limit.windowMicros());
    }

    private void catchUp(long nowMicros) {
        while (!byEnd.isEmpty() && byEnd.first().untilMicros <= nowMicros) {
            remove(byEnd.first().holder);
        }
        if (rebased) {
            for (Held held : List.copyOf(byEnd)) {
                remove(held.holder);
                put(new Held(held.holder, held.permits, until(held, nowMicros)));
            }
            rebased = false;
        }
    }

    private void put(Held held) {
        holders.put(held.holder, held);
        byEnd.add(held);
        total += held.permits;
    }

    private @Nullable Held remove(String holder) {
        Held held = holders.remove(holder);
        if (held != null) {
            byEnd.remove(held);
            total -= held.permits;
        }
        return held;
    }

    private long until(Held held, long nowMicros) {
        return rebased ? Math.min(held.untilMicros, nowMicros + limit.windowMicros()) : held.untilMicros;
    }

    @Override
    public boolean isHeld(String holder, long nowMicros) {
        Held held = holders.get(holder);
        return held != null && held.untilMicros > nowMicros;
    }

    /** Returns the retry time. A holder gets no more permits until it has lost the permits that it holds. */
    private long retryAfter(Demand demand, long nowMicros) {
        long freed = untilFreed(demand.needed(), nowMicros);
        Held held = holders.get(demand.holder());
        return held == null ? freed : Math.max(freed, until(held, nowMicros) - nowMicros);
    }

    /** Returns the time until enough permits have expired, if none are given back. */
    private long untilFreed(long permits, long nowMicros) {
        long left = used;
        for (Held held : byEnd) {
            if (held.untilMicros > nowMicros) {
                left -= held.permits;
                if (left + permits <= limit.limit()) {
                    return until(held, nowMicros) - nowMicros;
                }
            }
        }
        return 0;
    }

    private long room(long counted) {
        return Math.max(0, limit.limit() - counted);
    }
}
