package io.sluice.center.dryrun;

import io.sluice.rules.model.Rule;
import io.sluice.rules.snapshot.RuleSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * A change to try. Immutable.
 *
 * @param before the rules in force, as far as somebody sees them
 * @param after the same with the change
 * @param touched the ids of the rules that the change adds, changes or removes
 * @param seesAll whether somebody sees all rules. Otherwise only requests count that one of the rules applies to
 * @param seesNodes whether somebody sees the names of nodes
 */
public record TriedChange(RuleSet before, RuleSet after, Set<String> touched, boolean seesAll, boolean seesNodes) {

    public TriedChange {
        touched = Set.copyOf(touched);
    }

    /** Returns what becomes of a rule: added, changed, removed or same. */
    String change(String rule) {
        Optional<Rule> old = before.rule(rule);
        Optional<Rule> next = after.rule(rule);
        if (old.isEmpty() || next.isEmpty()) {
            return old.isEmpty() ? "added" : "removed";
        }
        return old.equals(next) ? "same" : "changed";
    }

    /** Returns the touched rules as they are after the change. */
    List<Rule> put() {
        return after.rules().stream()
                .filter(rule -> touched.contains(rule.id()))
                .toList();
    }
}
