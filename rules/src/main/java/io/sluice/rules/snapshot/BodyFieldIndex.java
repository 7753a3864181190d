package io.sluice.rules.snapshot;

import io.sluice.rules.internal.match.ScopeIndex;
import io.sluice.rules.model.Rule;
import io.sluice.rules.model.Scope;
import io.sluice.rules.pattern.Attributes;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/**
 * The rules that name fields of bodies, laid out by what can be known of a request before its body is read. Immutable.
 *
 * <p>Conditions on the fields themselves are left out, so that every rule is found that the body could make match.
 */
final class BodyFieldIndex {

    /** None of the rules does. */
    static final BodyFieldIndex NONE = new BodyFieldIndex(List.of(), List.of());

    private static final List<String> PREFIXES = List.of("json.", "form.");

    private final ScopeIndex index;
    private final List<Set<String>> fields;

    private BodyFieldIndex(List<Scope> scopes, List<Set<String>> fields) {
        this.index = new ScopeIndex(scopes);
        this.fields = fields;
    }

    static BodyFieldIndex of(List<Rule> enabled) {
        List<Scope> scopes = new ArrayList<>();
        List<Set<String>> all = new ArrayList<>();
        for (Rule rule : enabled) {
            Set<String> fields = FieldNames.of(List.of(rule), PREFIXES);
            if (!fields.isEmpty()) {
                scopes.add(rule.scope().without(name -> PREFIXES.stream().anyMatch(name::startsWith)));
                all.add(fields);
            }
        }
        return new BodyFieldIndex(scopes, List.copyOf(all));
    }

    /** The fields that rules name which may be for this request. */
    Set<String> fields(Attributes withoutBody) {
        if (fields.isEmpty()) {
            return Set.of();
        }
        List<Set<String>> found = index.matching(withoutBody, fields);
        if (found.size() <= 1) {
            return found.isEmpty() ? Set.of() : found.get(0);
        }
        Set<String> all = new LinkedHashSet<>();
        found.forEach(all::addAll);
        return all;
    }
}
