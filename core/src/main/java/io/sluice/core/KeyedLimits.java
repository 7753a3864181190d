package io.sluice.core;

import io.sluice.core.limit.Limit;
import io.sluice.core.spi.Demand;
import java.util.List;

/**
 * Limits, each with the key it counts by, that are decided together: either all pass and all are charged, or one refuses and
 * none is charged. Immutable.
 *
 * <pre>{@code
 * Decision decision = limiter.decide(KeyedLimits.of(perUser, userId).and(perTenant, tenantId).and(everybody));
 * }</pre>
 */
public final class KeyedLimits {

    private final List<Demand> demands;

    /** True if a demand is on a concurrency limit and needs a new holder for each ask. */
    private final boolean held;

    private KeyedLimits(List<Demand> demands) {
        this.demands = demands;
        this.held = anyHeld(demands);
    }

    private static boolean anyHeld(List<Demand> demands) {
        for (Demand demand : demands) {
            if (!demand.holder().isEmpty()) {
                return true;
            }
        }
        return false;
    }

    /** Asks for one permit of a limit that has a single count for all callers. */
    public static KeyedLimits of(Limit limit) {
        return of(limit, "");
    }

    /** Asks for one permit of a limit for a key. */
    public static KeyedLimits of(Limit limit, String key) {
        return of(limit, key, 1);
    }

    /** Asks for permits of a limit for a key: 1 to {@link Limit#MAX_PERMITS}. */
    public static KeyedLimits of(Limit limit, String key, long permits) {
        return new KeyedLimits(List.of(Demand.of(limit, key, permits)));
    }

    /** Adds one permit of a limit that has a single count for all callers. */
    public KeyedLimits and(Limit limit) {
        return and(limit, "");
    }

    /** Adds one permit of another limit, or for another key. */
    public KeyedLimits and(Limit limit, String key) {
        return and(limit, key, 1);
    }

    /** Adds permits of another limit, or for another key. */
    public KeyedLimits and(Limit limit, String key, long permits) {
        Demand[] all = demands.toArray(new Demand[demands.size() + 1]);
        all[demands.size()] = Demand.of(limit, key, permits);
        return new KeyedLimits(List.of(all));
    }

    /** Returns the demands for the engine. Each call gives every concurrency permit a new holder. */
    List<Demand> demands() {
        if (!held) {
            return demands;
        }
        return demands.stream()
                .map(demand ->
                        demand.holder().isEmpty() ? demand : Demand.of(demand.limit(), demand.key(), demand.permits()))
                .toList();
    }

    /** Returns the same demands without later time slots. */
    List<Demand> now() {
        List<Demand> now = demands();
        for (Demand demand : now) {
            if (demand.maxWaitMicros() > 0) {
                return now.stream().map(each -> each.waitingUpTo(0)).toList();
            }
        }
        return now;
    }

    @Override
    public String toString() {
        return demands.stream()
                .map(demand -> demand.limit().toString())
                .toList()
                .toString();
    }
}
