package io.sluice.envoy.decide;

import io.sluice.core.Decision;
import io.sluice.core.spi.Demand;
import io.sluice.core.spi.Verdict;
import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The verdicts of the engines on each demand of a request. Most requests have one or two demands, which are searched one by
 * one; a table would cost more than the decision. For a single call; not thread-safe.
 */
final class HeardVerdicts {

    private final List<Decision> decisions = new ArrayList<>(1);

    /** Null while there are few demands. */
    private @Nullable IdentityHashMap<Demand, Place> places;

    private int demands;

    /** The place of a demand: its decision, and its position there. */
    private record Place(Decision decision, int at) {}

    void add(Decision decision) {
        decisions.add(decision);
        demands += decision.ask().demands().size();
        if (places != null) {
            index(places, decision);
        } else if (demands > JointDecision.FEW) {
            IdentityHashMap<Demand, Place> all = new IdentityHashMap<>(demands);
            decisions.forEach(each -> index(all, each));
            places = all;
        }
    }

    /** Returns the verdict on a demand, or null if no engine could decide it or no engine was asked. */
    @Nullable
    Verdict of(Demand demand) {
        Place place = place(demand);
        List<Verdict> verdicts =
                place == null ? List.of() : place.decision.outcome().verdicts();
        return place != null && place.at < verdicts.size() ? verdicts.get(place.at) : null;
    }

    /**
     * Returns whether the common answer to all demands of a decision lets this demand pass. Returns true if no engine was
     * asked.
     */
    boolean allows(Demand demand) {
        Place place = place(demand);
        return place == null || place.decision.allowed();
    }

    @SuppressWarnings("ReferenceEquality") // two limits may have equal demands
    private @Nullable Place place(Demand demand) {
        if (places != null) {
            return places.get(demand);
        }
        for (int i = decisions.size() - 1; i >= 0; i--) {
            List<Demand> asked = decisions.get(i).ask().demands();
            for (int at = 0; at < asked.size(); at++) {
                if (asked.get(at) == demand) {
                    return new Place(decisions.get(i), at);
                }
            }
        }
        return null;
    }

    private static void index(IdentityHashMap<Demand, Place> places, Decision decision) {
        List<Demand> asked = decision.ask().demands();
        for (int at = 0; at < asked.size(); at++) {
            places.put(asked.get(at), new Place(decision, at));
        }
    }
}
