package io.sluice.rules.internal.match;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Scopes that agree in all lookups so far, while the index is being built. */
final class ScopeGroup {

    /** Up to this number of scopes, comparing costs no more than a lookup. */
    static final int FEW = 8;

    private final List<IndexedScope> all = new ArrayList<>(1);

    void add(IndexedScope scope) {
        all.add(scope);
    }

    int size() {
        return all.size();
    }

    /** Indexes all scopes and returns the address that leads to them. */
    int settle(IndexLayout layout, LeafWriter leaves) {
        if (all.size() <= FEW) {
            return leaves.target(all);
        }
        List<IndexedScope> stay = new ArrayList<>();
        Map<String, Map<LookupKey, ScopeGroup>> chosen = chosen(stay);
        all.clear();
        List<Fork> forks = new ArrayList<>(chosen.size());
        chosen.forEach((attribute, gathered) -> {
            Fork fork = new Fork(attribute, layout.tables());
            gathered.forEach((key, some) -> fork.put(key, some.settle(layout, leaves)));
            forks.add(fork);
        });
        return layout.add(new IndexNode(leaves.target(stay), forks));
    }

    private Map<String, Map<LookupKey, ScopeGroup>> chosen(List<IndexedScope> stay) {
        ConstraintSurvey survey = new ConstraintSurvey(all, FEW);
        Map<String, Map<LookupKey, ScopeGroup>> chosen = new LinkedHashMap<>();
        for (int i = 0; i < all.size(); i++) {
            IndexedScope scope = all.get(i);
            Constraint best = survey.best(i);
            if (best == null) {
                stay.add(scope);
                continue;
            }
            Map<LookupKey, ScopeGroup> fork = chosen.computeIfAbsent(best.attribute(), absent -> new LinkedHashMap<>());
            IndexedScope rest = scope.lookedUp(best);
            for (LookupKey key : best.keys()) {
                fork.computeIfAbsent(key, absent -> new ScopeGroup()).add(rest);
            }
        }
        return chosen;
    }
}
