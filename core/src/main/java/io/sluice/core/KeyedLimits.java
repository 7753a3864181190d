package io.sluice.core;

import io.sluice.core.limit.Limit;
import io.sluice.core.spi.Demand;
import java.util.ArrayList;
import java.util.List;

/**
 * Limits and the keys they count by, decided together: all pass and all are charged, or one refuses and none is charged. Immutable.
 *
 * <pre>{@code
 * Decision decision = limiter.decide(KeyedLimits.of(perUser, userId).and(perTenant, tenantId).and(everybody));
 * }</pre>
 */
public final class KeyedLimits {

    private final List<Demand> demands;

    private KeyedLimits(List<Demand> demands) {
        this.demands = List.copyOf(demands);
    }

    /** One permit of a limit that has a single count for everybody. */
    public static KeyedLimits of(Limit limit) {
        return of(limit, "");
    }

    /** One permit of a limit for a key. */
    public static KeyedLimits of(Limit limit, String key) {
        return of(limit, key, 1);
    }

    /** Permits of a limit for a key: 1 to {@link Limit#MAX_PERMITS}. */
    public static KeyedLimits of(Limit limit, String key, long permits) {
        return new KeyedLimits(List.of(Demand.of(limit, key, permits)));
    }

    /** These, and one permit of a limit that has a single count for everybody. */
    public KeyedLimits and(Limit limit) {
        return and(limit, "");
    }

    /** These, and one permit of another limit or for another key. */
    public KeyedLimits and(Limit limit, String key) {
        return and(limit, key, 1);
    }

    /** These, and permits of another limit or for another key. */
    public KeyedLimits and(Limit limit, String key, long permits) {
        List<Demand> all = new ArrayList<>(demands);
        all.add(Demand.of(limit, key, permits));
        return new KeyedLimits(all);
    }

    /** What an engine is asked. A concurrency permit has a holder of its own each time. */
    List<Demand> demands() {
        return demands.stream()
                .map(demand ->
                        demand.holder().isEmpty() ? demand : Demand.of(demand.limit(), demand.key(), demand.permits()))
                .toList();
    }

    /** The same limits, none of which may hand out a time slot that is later than now. */
    List<Demand> now() {
        return demands().stream().map(demand -> demand.waitingUpTo(0)).toList();
    }

    @Override
    public String toString() {
        return demands.stream()
                .map(demand -> demand.limit().toString())
                .toList()
                .toString();
    }
}
