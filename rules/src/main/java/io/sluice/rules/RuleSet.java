package io.sluice.rules;

import io.sluice.rules.internal.index.ScopeIndex;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;

/**
 * The rules in force: immutable, numbered, compiled for matching. What a match costs does not grow with their number, see {@link
 * ScopeIndex}.
 */
public final class RuleSet {

    private final long version;
    private final List<Rule> rules;
    private final Map<Action, ScopeIndex<Placed>> indexes = new EnumMap<>(Action.class);

    /**
     * A set.
     *
     * @param version 0 if there are no rules yet, else from 1, higher for each change
     * @param rules in document order, with ids that differ
     */
    public RuleSet(long version, List<Rule> rules) {
        this.version = version;
        this.rules = List.copyOf(rules);
        for (Action action : Action.values()) {
            indexes.put(action, new ScopeIndex<>(placed(action), placed -> placed.rule()
                    .scope()));
        }
    }

    /** No rules: everything is allowed. */
    public static RuleSet none() {
        return new RuleSet(0, List.of());
    }

    public long version() {
        return version;
    }

    /** Every rule, the disabled ones too, in document order. */
    public List<Rule> rules() {
        return rules;
    }

    /** The enabled rules that are for this request, whatever they do with it, in document order. */
    public List<Rule> matching(Attributes request) {
        List<Placed> matching = new ArrayList<>();
        for (ScopeIndex<Placed> index : indexes.values()) {
            matching.addAll(index.matching(request));
        }
        matching.sort(Comparator.comparingInt(Placed::place));
        return rules(matching);
    }

    /** The first enabled rule in document order that does this with the request. Cheap where few rules do. */
    public Optional<Rule> first(Action action, Attributes request) {
        return index(action).first(request, placed -> true).map(Placed::rule);
    }

    /** The enabled rules that do this with the request, in document order. */
    public List<Rule> matching(Action action, Attributes request) {
        return rules(index(action).matching(request));
    }

    private ScopeIndex<Placed> index(Action action) {
        return Objects.requireNonNull(indexes.get(action));
    }

    private static List<Rule> rules(List<Placed> placed) {
        List<Rule> rules = new ArrayList<>(placed.size());
        for (Placed each : placed) {
            rules.add(each.rule());
        }
        return rules;
    }

    private List<Placed> placed(Action action) {
        List<Placed> placed = new ArrayList<>();
        for (int i = 0; i < rules.size(); i++) {
            Rule rule = rules.get(i);
            if (rule.enabled() && rule.action() == action) {
                placed.add(new Placed(i, rule));
            }
        }
        return placed;
    }

    private record Placed(int place, Rule rule) {}
}
