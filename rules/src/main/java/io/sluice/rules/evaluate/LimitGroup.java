package io.sluice.rules.evaluate;

import io.sluice.core.Decision;
import io.sluice.core.Limiter;
import io.sluice.core.spi.Ask;
import io.sluice.core.spi.Demand;
import io.sluice.core.spi.Label;
import io.sluice.core.spi.Verdict;
import io.sluice.rules.side.Side;
import io.sluice.rules.side.SideDecisions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Limits that pass or refuse together, in report order, and the settings for asking each side that decides them. Immutable. */
public final class LimitGroup {

    /**
     * The report order: global, service, resource, caller. The sort is stable, so limits of the same level stay in document
     * order.
     */
    private static final Comparator<BoundLimit> REPORT_ORDER = Comparator.comparing(BoundLimit::level);

    /** A group without limits. */
    static final LimitGroup NONE = new LimitGroup(List.of(), null);

    private final List<BoundLimit> limits;
    private final @Nullable SideTerms terms;

    private LimitGroup(List<BoundLimit> limits, @Nullable SideTerms terms) {
        this.limits = limits;
        this.terms = terms;
    }

    public static LimitGroup of(List<BoundLimit> limits) {
        List<BoundLimit> ordered = limits;
        if (limits.size() > 1) {
            ordered = new ArrayList<>(limits);
            ordered.sort(REPORT_ORDER);
        }
        return ordered.isEmpty() ? NONE : new LimitGroup(List.copyOf(ordered), SideTerms.of(ordered));
    }

    public List<BoundLimit> limits() {
        return limits;
    }

    /** Returns the settings of the first side; null if there are no limits. */
    @Nullable
    SideTerms terms() {
        return terms;
    }

    /** Returns the same group with {@code on_failure: open}, so that a failing store never makes it refuse. */
    LimitGroup harmless() {
        return terms == null ? this : new LimitGroup(limits, terms.harmless());
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
        return new LimitGroup(some, terms);
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

    /** Returns the deadline of a side's answers about this group. */
    Duration deadline(Side side) {
        for (SideTerms own = terms; own != null; own = own.next()) {
            if (own.side() == side) {
                return own.deadline();
            }
        }
        return Limiter.DEFAULT_DEADLINE;
    }

    /** Returns whether a side has to be asked. */
    boolean asks(Side side) {
        for (BoundLimit b : limits) {
            if (b.demand() != null && b.side() == side) {
                return true;
            }
        }
        return false;
    }

    /** Returns the demands on a side. */
    List<Demand> demands(Side side) {
        if (limits.size() == 1) {
            Demand demand = limits.get(0).demand();
            return demand == null || limits.get(0).side() != side ? List.of() : List.of(demand);
        }
        Demand[] demands = new Demand[limits.size()];
        int count = 0;
        for (BoundLimit b : limits) {
            if (b.demand() != null && b.side() == side) {
                demands[count++] = b.demand();
            }
        }
        return List.of(count == demands.length ? demands : Arrays.copyOf(demands, count));
    }

    /**
     * Returns the ask for one side.
     *
     * @param nodeShare the local share of rules that state no share
     */
    Ask ask(SideTerms own, Ask.Purpose purpose, long version, double nodeShare) {
        double share = own.sharedByNodes() ? Math.min(own.localShare(), nodeShare) : own.localShare();
        long due = own.side().dueIn(own.deadline());
        return new Ask(demands(own.side()), purpose, due, own.onFailure(), share, version);
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
    public List<Label> refusing(SideDecisions decisions) {
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
