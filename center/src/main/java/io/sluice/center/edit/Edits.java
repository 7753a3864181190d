package io.sluice.center.edit;

import io.sluice.rules.model.Rule;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * The edits of a change. At most one edit touches a rule. Immutable.
 *
 * @param list the edits in the order of the request
 * @param order the ids of all rules in their new order; empty if rules keep their places and new rules come last
 */
public record Edits(List<Edit> list, List<String> order) {

    public Edits {
        list = List.copyOf(list);
        order = List.copyOf(order);
        Set<String> touched = new LinkedHashSet<>();
        for (Edit edit : list) {
            if (!touched.add(edit.rule())) {
                throw new IllegalArgumentException(
                        "edits: two for the rule \"" + edit.rule() + "\" (expected: at most one for each rule)");
            }
        }
    }

    public Edits(List<Edit> list) {
        this(list, List.of());
    }

    /** Returns the edits that turn some rules into others. */
    public static Edits between(List<Rule> before, List<Rule> after) {
        Map<String, Rule> old = byId(before);
        List<Edit> edits = new ArrayList<>();
        for (Rule rule : after) {
            if (!rule.equals(old.remove(rule.id()))) {
                edits.add(new Edit.Put(rule));
            }
        }
        old.keySet().forEach(id -> edits.add(new Edit.Remove(id)));
        Edits inPlace = new Edits(edits);
        return inPlace.applyTo(before).equals(after) ? inPlace : new Edits(edits, ids(after));
    }

    public boolean isEmpty() {
        return list.isEmpty() && order.isEmpty();
    }

    /** Returns the ids of the rules that these edits touch. */
    public Set<String> touched() {
        Set<String> ids = new LinkedHashSet<>();
        list.forEach(edit -> ids.add(edit.rule()));
        return ids;
    }

    /** Returns the ids of removed rules that do not exist. */
    public List<String> missingFrom(List<Rule> rules) {
        Map<String, Rule> known = byId(rules);
        return list.stream()
                .filter(edit -> edit instanceof Edit.Remove && !known.containsKey(edit.rule()))
                .map(Edit::rule)
                .toList();
    }

    /** Returns the same edits without the edits of some rules. */
    public Edits without(Collection<String> rules) {
        return new Edits(
                list.stream().filter(edit -> !rules.contains(edit.rule())).toList(), order);
    }

    /** Returns the rules after these edits. */
    public List<Rule> applyTo(List<Rule> rules) {
        Map<String, Rule> result = byId(rules);
        for (Edit edit : list) {
            if (edit instanceof Edit.Put put) {
                result.put(put.rule(), put.put());
            } else {
                result.remove(edit.rule());
            }
        }
        return order.isEmpty() ? List.copyOf(result.values()) : sorted(result);
    }

    /** Sorts rules by the new order. Rules that the order does not name come last, in their current order. */
    private List<Rule> sorted(Map<String, Rule> rules) {
        Map<String, Integer> places = new HashMap<>();
        for (int i = 0; i < order.size(); i++) {
            places.put(order.get(i), i);
        }
        return rules.values().stream()
                .sorted(Comparator.comparingInt(rule -> places.getOrDefault(rule.id(), Integer.MAX_VALUE)))
                .toList();
    }

    private static List<String> ids(List<Rule> rules) {
        return rules.stream().map(Rule::id).toList();
    }

    private static Map<String, Rule> byId(List<Rule> rules) {
        Map<String, Rule> byId = new LinkedHashMap<>(rules.size() * 2);
        rules.forEach(rule -> byId.put(rule.id(), rule));
        return byId;
    }
}
