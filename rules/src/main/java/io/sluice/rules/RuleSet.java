package io.sluice.rules;

import io.sluice.rules.internal.index.ScopeIndex;
import java.util.List;

/** The rules in force: immutable, numbered, compiled for matching. */
public final class RuleSet {

    private final long version;
    private final List<Rule> rules;
    private final ScopeIndex<Rule> index;

    /**
     * A set.
     *
     * @param version 0 if there are no rules yet, else from 1, higher for each change
     * @param rules in document order, with ids that differ
     */
    public RuleSet(long version, List<Rule> rules) {
        this.version = version;
        this.rules = List.copyOf(rules);
        this.index = new ScopeIndex<>(this.rules.stream().filter(Rule::enabled).toList(), Rule::scope);
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

    /** The enabled rules that are for this request, in document order. */
    public List<Rule> matching(Attributes request) {
        return index.matching(request);
    }
}
