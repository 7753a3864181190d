package io.sluice.rules.evaluate;

import io.sluice.core.Decision;
import io.sluice.core.Limiter;
import io.sluice.core.spi.Ask;
import io.sluice.core.spi.Demand;
import io.sluice.core.spi.FailurePolicy;
import io.sluice.core.spi.Label;
import io.sluice.core.spi.Verdict;
import io.sluice.rules.model.Handling;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Limits that pass or refuse together, in report order, and the settings for asking the shared store. Immutable.
 *
 * @param deadline the shortest deadline of the rules that use the store
 * @param onFailure the strictest failure policy of these rules
 * @param localShare the smallest local share that these rules state; 1 if they state none
 * @param sharedByNodes whether one of these rules states no local share, so that the number of live nodes determines it
 */
public record LimitGroup(
        List<BoundLimit> limits, Duration deadline, FailurePolicy onFailure, double localShare, boolean sharedByNodes) {

    /**
     * The report order: global, service, resource, caller. The sort is stable, so limits of the same level stay in document
     * order.
     */
    private static final Comparator<BoundLimit> REPORT_ORDER = Comparator.comparing(BoundLimit::level);

    /** A group without limits. */
    static final LimitGroup NONE = new LimitGroup(List.of(), Limiter.DEFAULT_DEADLINE, FailurePolicy.OPEN, 1, false);

    public static LimitGroup of(List<BoundLimit> limits) {
        List<BoundLimit> ordered = limits;
        if (limits.size() > 1) {
            ordered = new ArrayList<>(limits);
            ordered.sort(REPORT_ORDER);
        }
        Duration deadline = null;
        FailurePolicy onFailure = FailurePolicy.OPEN;
        double localShare = 1;
        boolean byNodes = false;
        boolean shared = anyInStore(ordered);
        for (BoundLimit b : ordered) {
            Handling handling = b.rule().handling();
            if (b.inStore() || !shared) {
                // Limits that this process counts alone fail only after it is closed, so they do not affect the policy.
                onFailure = handling.onFailure().compareTo(onFailure) > 0 ? handling.onFailure() : onFailure;
            }
            if (b.inStore()) {
                deadline = deadline == null || handling.deadline().compareTo(deadline) < 0
                        ? handling.deadline()
                        : deadline;
                localShare = Math.min(localShare, handling.localShare().orElse(1));
                byNodes |= handling.localShare().isEmpty();
            }
        }
        return new LimitGroup(
                List.copyOf(ordered),
                deadline == null ? Limiter.DEFAULT_DEADLINE : deadline,
                onFailure,
                localShare,
                byNodes);
    }

    private static boolean anyInStore(List<BoundLimit> limits) {
        for (BoundLimit b : limits) {
            if (b.inStore()) {
                return true;
            }
        }
        return false;
    }

    /** Returns the same group with {@code on_failure: open}, so that a failing store never makes it refuse. */
    LimitGroup harmless() {
        return new LimitGroup(limits, deadline, FailurePolicy.OPEN, localShare, sharedByNodes);
    }

    /** Returns whether permits of any limit in the group are held. */
    boolean holds() {
        for (BoundLimit b : limits) {
            if (b.isHeld()) {
                return true;
            }
        }
        return false;
    }

    /** Returns the limits whose permits are held, or all other limits. */
    LimitGroup held(boolean held) {
        List<BoundLimit> some = new ArrayList<>(0);
        for (BoundLimit b : limits) {
            if (b.isHeld() == held) {
                some.add(b);
            }
        }
        return new LimitGroup(some, deadline, onFailure, localShare, sharedByNodes);
    }

    /** Returns the first limit that refuses because the request lacks an attribute it counts by. */
    @Nullable
    public BoundLimit lacking() {
        for (BoundLimit b : limits) {
            if (b.demand() == null) {
                return b;
            }
        }
        return null;
    }

    boolean any(boolean inStore) {
        for (BoundLimit b : limits) {
            if (b.demand() != null && b.inStore() == inStore) {
                return true;
            }
        }
        return false;
    }

    /**
     * Returns the ask for one of the two engines.
     *
     * @param nodeShare the local share of rules that state no share
     */
    Ask ask(boolean inStore, Ask.Purpose purpose, Limiter limiter, long version, double nodeShare) {
        List<Demand> demands = new ArrayList<>(limits.size());
        for (BoundLimit b : limits) {
            Demand demand = b.demand();
            if (demand != null && b.inStore() == inStore) {
                demands.add(demand);
            }
        }
        long due = inStore ? limiter.dueIn(deadline) : Ask.NO_DEADLINE;
        double share = sharedByNodes ? Math.min(localShare, nodeShare) : localShare;
        return new Ask(demands, purpose, due, onFailure, share, version);
    }

    /** Returns the limit that has this demand. */
    @Nullable
    BoundLimit find(@Nullable Demand demand) {
        for (BoundLimit b : limits) {
            if (demand != null && b.asks(demand.label(), demand.key())) {
                return b;
            }
        }
        return null;
    }

    /** Returns the labels of the limits that refuse. Degraded decisions do not count. */
    public List<Label> refusing(List<Decision> decisions) {
        List<Label> refusing = new ArrayList<>();
        for (BoundLimit b : limits) {
            if (b.demand() == null) {
                refusing.add(b.label());
            }
        }
        for (Decision decision : decisions) {
            List<Verdict> verdicts = decision.outcome().verdicts();
            for (int i = 0; decision.degraded() == null && i < verdicts.size(); i++) {
                if (!verdicts.get(i).fits()) {
                    refusing.add(decision.ask().demands().get(i).label());
                }
            }
        }
        return refusing;
    }
}
