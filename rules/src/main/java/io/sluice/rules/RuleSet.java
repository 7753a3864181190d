package io.sluice.rules;

import io.sluice.rules.internal.index.ScopeIndex;
import java.util.List;
import java.util.Set;

/** The rules in force: immutable, numbered, compiled for matching. */
public final class RuleSet {

    private final long version;
    private final List<Rule> rules;
    private final ScopeIndex<ReadyRule> index;
    private final Set<String> bodyFields;

    /**
     * A set.
     *
     * @param version 0 if there are no rules yet, else from 1, higher for each change
     * @param rules in document order, with ids that differ
     */
    public RuleSet(long version, List<Rule> rules) {
        this.version = version;
        this.rules = List.copyOf(rules);
        this.index = new ScopeIndex<>(
                this.rules.stream().filter(Rule::enabled).map(ReadyRule::new).toList(),
                ready -> ready.rule().scope());
        this.bodyFields = BodyFieldNames.of(this.rules);
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
        return index.matching(request).stream().map(ReadyRule::rule).toList();
    }

    /** Of these, the ones that do this with the request. */
    public List<Rule> matching(Action action, Attributes request) {
        return matching(request).stream()
                .filter(rule -> rule.action() == action)
                .toList();
    }

    /** The attributes {@code json.…} and {@code form.…} that enabled rules name: the only fields of bodies that need to be read. */
    public Set<String> bodyFields() {
        return bodyFields;
    }

    List<ReadyRule> ready(Attributes request) {
        return index.matching(request);
    }
}
