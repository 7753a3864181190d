package io.sluice.spring.gateway;

import io.sluice.rules.model.Rule;
import io.sluice.rules.model.RuleUse;
import io.sluice.rules.snapshot.RuleSet;
import io.sluice.spring.internal.RuleFields;
import java.util.LinkedHashSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Caches the attributes of a request that the rules in force read, for each rule set. Thread-safe. */
final class RuleSetFields {

    private volatile @Nullable Known known;

    private record Known(RuleSet set, Set<String> names, boolean settles) {}

    Set<String> of(RuleSet set) {
        return known(set).names;
    }

    /** Returns whether a limit is settled by the response. */
    boolean settles(RuleSet set) {
        return known(set).settles;
    }

    private Known known(RuleSet set) {
        Known last = known;
        if (last == null || last.set != set) {
            last = new Known(set, names(set), set.rules().stream().anyMatch(rule -> !rule.answerAttributes()
                    .isEmpty()));
            known = last;
        }
        return last;
    }

    private static Set<String> names(RuleSet set) {
        Set<String> names = new LinkedHashSet<>(Set.of("path", "method"));
        for (Rule rule : set.rules()) {
            if (rule.use() != RuleUse.CODE) {
                names.addAll(rule.scope().match().keySet());
                names.addAll(RuleFields.of(rule));
            }
        }
        return names;
    }
}
