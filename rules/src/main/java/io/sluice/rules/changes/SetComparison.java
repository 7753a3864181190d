package io.sluice.rules.changes;

import io.sluice.rules.model.Rule;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Compares the rules of two sets by their ids. */
final class SetComparison {

    private SetComparison() {}

    public static List<RuleChange> changes(List<Rule> before, List<Rule> after) {
        Map<String, Integer> old = positions(before);
        List<RuleChange> changes = new ArrayList<>();
        Order order = new Order();
        for (Rule rule : after) {
            Integer position = old.remove(rule.id());
            if (position == null) {
                changes.add(new RuleChange.Added(rule));
            } else {
                order.next(position);
                compare(before.get(position), rule, changes);
            }
        }
        for (Rule rule : before) {
            if (old.containsKey(rule.id())) {
                changes.add(new RuleChange.Removed(rule));
            }
        }
        if (order.isBroken()) {
            changes.add(new RuleChange.Reordered());
        }
        return List.copyOf(changes);
    }

    private static void compare(Rule before, Rule after, List<RuleChange> changes) {
        if (!before.equals(after)) {
            RuleComparison comparison = new RuleComparison(before, after, changes);
            comparison.settings();
            comparison.limits();
        }
    }

    private static Map<String, Integer> positions(List<Rule> rules) {
        Map<String, Integer> positions = new HashMap<>(rules.size() * 2);
        for (int i = 0; i < rules.size(); i++) {
            positions.put(rules.get(i).id(), i);
        }
        return positions;
    }
}
