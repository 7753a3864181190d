package io.sluice.rules.internal.index;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Scopes that agree in what was looked up so far, while the index is built. */
final class Gathered {

    /** Comparing so many costs no more than looking them up. */
    static final int FEW = 8;

    private final List<Filed> all = new ArrayList<>(1);

    void add(Filed filed) {
        all.add(filed);
    }

    int size() {
        return all.size();
    }

    /** Files all of them, and returns what leads to them. */
    int settle(Layout layout, LeafWriter leaves) {
        if (all.size() <= FEW) {
            return leaves.target(all);
        }
        List<Filed> stay = new ArrayList<>();
        Map<String, Map<Key, Gathered>> chosen = chosen(stay);
        all.clear();
        List<Fork> forks = new ArrayList<>(chosen.size());
        chosen.forEach((attribute, gathered) -> {
            Fork fork = new Fork(attribute, layout.tables());
            gathered.forEach((key, some) -> fork.put(key, some.settle(layout, leaves)));
            forks.add(fork);
        });
        return layout.add(new Node(leaves.target(stay), forks));
    }

    private Map<String, Map<Key, Gathered>> chosen(List<Filed> stay) {
        Survey survey = new Survey(all, FEW);
        Map<String, Map<Key, Gathered>> chosen = new LinkedHashMap<>();
        for (int i = 0; i < all.size(); i++) {
            Filed filed = all.get(i);
            Constraint best = survey.best(i);
            if (best == null) {
                stay.add(filed);
                continue;
            }
            Map<Key, Gathered> fork = chosen.computeIfAbsent(best.attribute(), absent -> new LinkedHashMap<>());
            Filed rest = filed.lookedUp(best);
            for (Key key : best.keys()) {
                fork.computeIfAbsent(key, absent -> new Gathered()).add(rest);
            }
        }
        return chosen;
    }
}
