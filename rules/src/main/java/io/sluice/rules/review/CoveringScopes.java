package io.sluice.rules.review;

import io.sluice.rules.internal.match.ScopeIndex;
import io.sluice.rules.model.Scope;
import io.sluice.rules.pattern.Attributes;
import io.sluice.rules.review.ScopePart.NamedText;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Finds the scopes that cover another scope. Immutable, except for the count of comparisons.
 *
 * <p>A scope that covers another scope matches each request in it. So an index returns the scopes that match one such request,
 * and only these are compared.
 */
final class CoveringScopes<T> {

    /**
     * The maximum number of scopes that one scope is compared with. Many scopes can match one request, but they seldom cover
     * its scope.
     */
    static final int MOST = 64;

    private final List<Entry<T>> entries;
    private final ScopeIndex index;
    private final Effort effort;

    /** The number of scopes that name a text. */
    private final Map<NamedText, Integer> uses = new HashMap<>();

    /** @param items the items by scope */
    CoveringScopes(Map<Scope, T> items, Effort effort) {
        this.effort = effort;
        List<Entry<T>> all = new ArrayList<>(items.size());
        items.forEach((scope, item) -> all.add(new Entry<>(new ScopeParts(scope), item)));
        // The fewer attributes a scope restricts, the more likely it covers other scopes.
        all.sort(Comparator.comparingInt(entry -> entry.parts().size()));
        this.entries = List.copyOf(all);
        entries.forEach(entry -> entry.parts().texts(text -> uses.merge(text, 1, Integer::sum)));
        this.index = new ScopeIndex(
                entries.stream().map(entry -> entry.parts().scope()).toList());
    }

    private record Entry<T>(ScopeParts parts, T item) {}

    /**
     * An item whose scope covers the requested scope.
     *
     * @param same whether both scopes provably have the same requests
     */
    record Covering<T>(T item, boolean same) {}

    List<Covering<T>> of(Scope scope) {
        ScopeParts narrow = new ScopeParts(scope);
        Attributes example = narrow.example(text -> uses.getOrDefault(text, 0)).orElse(null);
        if (example == null) {
            return List.of();
        }
        List<Entry<T>> matching = index.matching(example, entries);
        List<Covering<T>> covering = new ArrayList<>();
        for (Entry<T> entry : matching.subList(0, Math.min(MOST, matching.size()))) {
            effort.compared();
            if (entry.parts().covers(narrow)) {
                covering.add(new Covering<>(entry.item(), narrow.covers(entry.parts())));
            }
        }
        return covering;
    }
}
