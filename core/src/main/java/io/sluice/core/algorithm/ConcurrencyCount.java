package io.sluice.core.algorithm;

import io.sluice.core.limit.Concurrency;
import io.sluice.core.spi.Charge;
import io.sluice.core.spi.Demand;
import io.sluice.core.spi.Verdict;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Permits in flight, by holder. A holder that does not renew within {@code ttl} loses its permits. If time stepped back so far
 * that a permit would be held for more than a second beyond its {@code ttl}, its time starts anew.
 */
final class ConcurrencyCount extends Count {

    private final Map<String, Held> holders = new LinkedHashMap<>();
    private Concurrency limit;
    private long used;
    private boolean rebased;

    private record Held(long permits, long untilMicros) {}

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
        boolean never = demand.atLeast() > limit.limit();
        return new Verdict(
                grant > 0,
                charged ? grant : 0,
                room(after),
                grant > 0 ? 0 : never ? Verdict.NEVER : retryAfter(demand, nowMicros),
                after == 0 ? 0 : Verdict.NEVER,
                0,
                nowMicros);
    }

    @Override
    public void charge(Demand demand, long granted, long nowMicros) {
        settle(nowMicros);
        holders.put(demand.holder(), new Held(granted, nowMicros + limit.windowMicros()));
        used += granted;
    }

    @Override
    public void refuse(long nowMicros) {
        if (rebased) {
            settle(nowMicros);
        }
    }

    /**
     * Gives back the holder's permits. An unknown holder changes nothing, whatever limit it names: charges may come from
     * outside.
     */
    @Override
    public void giveBack(Charge charge, long nowMicros) {
        if (!isHeld(charge.holder(), nowMicros)) {
            return;
        }
        limit = (Concurrency) charge.limit();
        age(nowMicros);
        settle(nowMicros);
        holders.remove(charge.holder());
    }

    @Override
    public boolean renew(Charge charge, long nowMicros) {
        if (!isHeld(charge.holder(), nowMicros)) {
            return false;
        }
        limit = (Concurrency) charge.limit();
        age(nowMicros);
        settle(nowMicros);
        return holders.computeIfPresent(
                        charge.holder(), (h, held) -> new Held(held.permits, nowMicros + limit.windowMicros()))
                != null;
    }

    @Override
    public boolean isUnused(long nowMicros) {
        return holders.values().stream().allMatch(held -> held.untilMicros <= nowMicros);
    }

    private void age(long nowMicros) {
        used = 0;
        rebased = false;
        for (Held held : holders.values()) {
            if (held.untilMicros > nowMicros) {
                used += held.permits;
            }
            rebased |= StepBack.rebases(held.untilMicros, nowMicros + limit.windowMicros());
        }
    }

    private void settle(long nowMicros) {
        holders.values().removeIf(held -> held.untilMicros <= nowMicros);
        if (rebased) {
            holders.replaceAll((holder, held) -> new Held(held.permits, until(held, nowMicros)));
            rebased = false;
        }
    }

    private long until(Held held, long nowMicros) {
        return rebased ? Math.min(held.untilMicros, nowMicros + limit.windowMicros()) : held.untilMicros;
    }

    private boolean isHeld(String holder, long nowMicros) {
        Held held = holders.get(holder);
        return held != null && held.untilMicros > nowMicros;
    }

    /** A holder gets nothing more until it has lost the permits that it holds. */
    private long retryAfter(Demand demand, long nowMicros) {
        long freed = untilFreed(demand.atLeast(), nowMicros);
        Held held = holders.get(demand.holder());
        return held == null ? freed : Math.max(freed, until(held, nowMicros) - nowMicros);
    }

    /** Returns the time until enough permits have expired, if none is given back. */
    private long untilFreed(long permits, long nowMicros) {
        List<Held> byEnd = new ArrayList<>(holders.values());
        byEnd.sort(Comparator.comparingLong(Held::untilMicros));
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
