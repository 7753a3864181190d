package io.sluice.rules;

import io.sluice.rules.internal.index.ScopeIndex;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/**
 * The rules that name fields of bodies, laid out by what can be known of a request before its body is read. Immutable.
 *
 * <p>Conditions on the fields themselves are left out, so that every rule is found that the body could make match.
 */
final class BodyRules {

    /** None of the rules does. */
    static final BodyRules NONE = new BodyRules(List.of(), List.of());

    private static final List<String> PREFIXES = List.of("json.", "form.");
    private static final BodyFields NOTHING = BodyFields.of(List.of());

    private final ScopeIndex index;
    private final List<Named> rules;

    private BodyRules(List<Scope> scopes, List<Named> rules) {
        this.index = new ScopeIndex(scopes);
        this.rules = rules;
    }

    /** The fields of one rule. */
    private record Named(Set<String> fields, BodyFields reader) {}

    static BodyRules of(List<Rule> enabled) {
        List<Scope> scopes = new ArrayList<>();
        List<Named> rules = new ArrayList<>();
        for (Rule rule : enabled) {
            Set<String> fields = FieldNames.of(List.of(rule), PREFIXES);
            if (!fields.isEmpty()) {
                scopes.add(rule.scope().without(name -> PREFIXES.stream().anyMatch(name::startsWith)));
                rules.add(new Named(fields, BodyFields.of(fields)));
            }
        }
        return new BodyRules(scopes, List.copyOf(rules));
    }

    BodyFields reader(Attributes withoutBody) {
        if (rules.isEmpty()) {
            return NOTHING;
        }
        List<Named> found = index.matching(withoutBody, rules);
        if (found.size() <= 1) {
            return found.isEmpty() ? NOTHING : found.get(0).reader();
        }
        Set<String> fields = new LinkedHashSet<>();
        found.forEach(each -> fields.addAll(each.fields()));
        return BodyFields.of(fields);
    }
}
