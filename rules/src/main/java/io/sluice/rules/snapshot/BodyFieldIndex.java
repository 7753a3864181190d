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
 * Indexes the rules that refer to body fields by what is known of a request before its body is read. Immutable.
 *
 * <p>Conditions on the body fields themselves are ignored, so that the index finds every rule that the body could make match.
 */
final class BodyFieldIndex {

    /** An index for rules that refer to no body fields. */
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

    /** Returns the body fields of all rules that may apply to this request. */
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
