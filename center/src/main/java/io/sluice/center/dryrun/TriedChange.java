package io.sluice.center.dryrun;

import io.sluice.rules.model.Rule;
import io.sluice.rules.snapshot.RuleSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * A change to try. Immutable.
 *
 * @param before the rules in force that the person who asks may read
 * @param after the same rules with the change
 * @param touched the ids of the rules that the change adds, changes or removes
 * @param seesAll whether the person may read all rules. Otherwise only requests count that one of the rules applies to
 * @param seesNodes whether the person may see the names of nodes
 */
public record TriedChange(RuleSet before, RuleSet after, Set<String> touched, boolean seesAll, boolean seesNodes) {

    public TriedChange {
        touched = Set.copyOf(touched);
    }

    /** Returns the effect on a rule: added, changed, removed or same. */
    String change(String rule) {
        Optional<Rule> old = before.rule(rule);
        Optional<Rule> next = after.rule(rule);
        if (old.isEmpty() || next.isEmpty()) {
            return old.isEmpty() ? "added" : "removed";
        }
        return old.equals(next) ? "same" : "changed";
    }

    /** Returns the touched rules in their state after the change. */
    List<Rule> put() {
        return after.rules().stream()
                .filter(rule -> touched.contains(rule.id()))
                .toList();
    }
}
