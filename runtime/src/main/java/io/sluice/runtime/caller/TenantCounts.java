package io.sluice.runtime.caller;

import io.sluice.runtime.data.Figures;
import java.util.HashMap;
import java.util.Iterator;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;

/** Counts the requests of each tenant. Bounded. Thread-safe. */
final class TenantCounts {

    /** The maximum number of tenants in a minute. */
    static final int MOST = 500;

    private static final int LONGEST_NAME = 1_000;

    private final ConcurrentHashMap<String, Counter> tenants = new ConcurrentHashMap<>();
    private final AtomicLong lost = new AtomicLong();

    /** Counters that are no longer used. A thread may have found one just before, so they are read once more. Used by one thread. */
    private Map<String, Counter> retired = Map.of();

    private static final class Counter {
        final LongAdder allowed = new LongAdder();
        final LongAdder refused = new LongAdder();

        /** The figures that were already taken. Used by one thread. */
        Figures taken = Figures.NONE;

        Figures take() {
            Figures now = new Figures(allowed.sum(), refused.sum(), 0, 0);
            Figures more = now.minus(taken);
            taken = now;
            return more;
        }
    }

    /** Counts a request. If there is no room for its tenant, the request is counted as lost. */
    void add(String tenant, boolean allowed) {
        Counter counter = tenants.get(tenant);
        if (counter == null) {
            if (tenants.size() >= MOST || tenant.length() > LONGEST_NAME) {
                lost.incrementAndGet();
                return;
            }
            counter = tenants.computeIfAbsent(tenant, made -> new Counter());
        }
        (allowed ? counter.allowed : counter.refused).increment();
    }

    /** Returns the counts since the last call. Calls come from one thread at a time. */
    Map<String, Figures> take() {
        Map<String, Figures> all = new HashMap<>();
        retired.forEach((tenant, counter) -> add(tenant, counter, all));
        Map<String, Counter> idle = new HashMap<>();
        for (Iterator<Map.Entry<String, Counter>> each = tenants.entrySet().iterator(); each.hasNext(); ) {
            Map.Entry<String, Counter> next = each.next();
            if (!add(next.getKey(), next.getValue(), all)) {
                each.remove();
                idle.put(next.getKey(), next.getValue());
            }
        }
        retired = idle;
        return all;
    }

    /** Returns the number of requests since the last call that were not counted because there was no room. */
    long takeLost() {
        return lost.getAndSet(0);
    }

    private static boolean add(String tenant, Counter counter, Map<String, Figures> all) {
        Figures more = counter.take();
        if (more.isNone()) {
            return false;
        }
        all.merge(tenant, more, Figures::plus);
        return true;
    }
}
