package io.sluice.core;

import io.sluice.core.limit.Limit;
import io.sluice.core.spi.Demand;
import io.sluice.core.spi.FailurePolicy;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Limits, each with the key it counts by, that are decided together: either all pass and all are charged, or one refuses and
 * none is charged. Immutable.
 *
 * <pre>{@code
 * Decision decision = limiter.decide(KeyedLimits.of(perUser, userId).and(perTenant, tenantId).and(everybody));
 * }</pre>
 *
 * <p>They have one deadline and one failure policy, because there is one decision. Without their own, those of the limiter apply.
 */
public final class KeyedLimits {

    private final List<Demand> demands;

    /** True if a demand is on a concurrency limit and needs a new holder for each ask. */
    private final boolean held;

    private final @Nullable Duration deadline;
    private final @Nullable FailurePolicy onFailure;

    private KeyedLimits(List<Demand> demands, @Nullable Duration deadline, @Nullable FailurePolicy onFailure) {
        this.demands = demands;
        this.held = anyHeld(demands);
        this.deadline = deadline;
        this.onFailure = onFailure;
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
        return new KeyedLimits(List.of(Demand.of(limit, key, permits)), null, null);
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
        return new KeyedLimits(List.of(all), deadline, onFailure);
    }

    /** Returns these limits with a time that a shared store has to decide about them, at most 1000 days. */
    public KeyedLimits within(Duration deadline) {
        return new KeyedLimits(demands, Objects.requireNonNull(deadline, "deadline"), onFailure);
    }

    /** Returns these limits with a policy that decides if the shared store does not. */
    public KeyedLimits onFailure(FailurePolicy policy) {
        return new KeyedLimits(demands, deadline, Objects.requireNonNull(policy, "policy"));
    }

    Duration deadlineOr(Duration byDefault) {
        return deadline == null ? byDefault : deadline;
    }

    FailurePolicy onFailureOr(FailurePolicy byDefault) {
        return onFailure == null ? byDefault : onFailure;
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

    /** Returns these limits, none of which accepts a time slot later than now. */
    KeyedLimits now() {
        for (Demand demand : demands) {
            if (demand.maxWaitMicros() > 0) {
                return new KeyedLimits(
                        demands.stream().map(each -> each.waitingUpTo(0)).toList(), deadline, onFailure);
            }
        }
        return this;
    }

    @Override
    public String toString() {
        return demands.stream()
                .map(demand -> demand.limit().toString())
                .toList()
                .toString();
    }
}
