package io.sluice.rules.snapshot;

import io.sluice.rules.cost.Cost;
import io.sluice.rules.internal.match.ScopeIndex;
import io.sluice.rules.model.Action;
import io.sluice.rules.model.By;
import io.sluice.rules.model.LimitOverride;
import io.sluice.rules.model.Rule;
import io.sluice.rules.model.RuleLimit;
import io.sluice.rules.model.Scope;
import io.sluice.rules.model.UnreadPolicy;
import io.sluice.rules.pattern.Attributes;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/**
 * Indexes the rules that refer to body fields by the attributes of a request that are known before its body is read. Immutable.
 *
 * <p>Conditions on the body fields themselves are ignored, so that the index finds every rule that the body could make match.
 */
final class BodyFieldIndex {

    /** An index for rules that refer to no body fields. */
    static final BodyFieldIndex NONE = new BodyFieldIndex(List.of(), List.of());

    private static final List<String> PREFIXES = List.of("json.", "form.");

    private final ScopeIndex index;
    private final List<Entry> entries;

    private BodyFieldIndex(List<Scope> scopes, List<Entry> entries) {
        this.index = new ScopeIndex(scopes);
        this.entries = entries;
    }

    /**
     * An indexed rule.
     *
     * @param fields all body fields that the rule names
     * @param required the fields without which the rule cannot be applied
     */
    private record Entry(Action action, Set<String> fields, Set<String> required) {}

    static BodyFieldIndex of(List<Rule> enabled) {
        List<Scope> scopes = new ArrayList<>();
        List<Entry> entries = new ArrayList<>();
        for (Rule rule : enabled) {
            Set<String> fields = FieldNames.of(FieldNames.all(List.of(rule)), PREFIXES);
            if (!fields.isEmpty()) {
                scopes.add(rule.scope().without(BodyFieldIndex::isBodyField));
                entries.add(new Entry(rule.action(), fields, required(rule)));
            }
        }
        return new BodyFieldIndex(scopes, List.copyOf(entries));
    }

    /** Returns the body fields of all rules that may apply to this request. */
    Set<String> fields(Attributes withoutBody) {
        if (entries.isEmpty()) {
            return Set.of();
        }
        List<Entry> found = index.matching(withoutBody, entries);
        if (found.size() <= 1) {
            return found.isEmpty() ? Set.of() : found.get(0).fields();
        }
        Set<String> all = new LinkedHashSet<>();
        found.forEach(entry -> all.addAll(entry.fields()));
        return all;
    }

    /**
     * Returns the body fields that must be readable if the body has them.
     *
     * @param exempt whether the request passes all limits anyway, so that only rules that deny it still count
     */
    Set<String> required(Attributes withoutBody, boolean exempt) {
        Set<String> all = new LinkedHashSet<>();
        for (Entry entry : index.matching(withoutBody, entries)) {
            if (!exempt || entry.action() == Action.DENY) {
                all.addAll(entry.required());
            }
        }
        return all;
    }

    /**
     * Returns the fields that a rule requires. A rule that denies needs all its fields. A rule that exempts needs no fields,
     * because the limits apply without it. Shadow limits and candidates need none, because they never refuse.
     */
    private static Set<String> required(Rule rule) {
        Set<String> required = new LinkedHashSet<>();
        if (rule.action() == Action.DENY) {
            required.addAll(rule.scope().match().keySet());
        } else if (rule.action() == Action.LIMIT && !rule.shadow()) {
            for (int i = 0; i < rule.limits().size(); i++) {
                RuleLimit limit = rule.limits().get(i);
                if (limit.unread() == UnreadPolicy.REFUSE) {
                    required.addAll(rule.scope().match().keySet());
                    required.addAll(namesOf(rule, limit, i));
                }
            }
        }
        required.removeIf(name -> !isBodyField(name));
        return Set.copyOf(required);
    }

    private static Set<String> namesOf(Rule rule, RuleLimit limit, int position) {
        Set<String> names = new LinkedHashSet<>();
        for (By by : limit.by()) {
            names.add(by.attribute());
            by.otherwise().ifPresent(names::add);
        }
        limit.cost().flatMap(Cost::attribute).ifPresent(names::add);
        for (LimitOverride override : rule.overrides()) {
            if (override.limit() == position) {
                names.addAll(override.when().keySet());
            }
        }
        return names;
    }

    private static boolean isBodyField(String name) {
        return PREFIXES.stream().anyMatch(name::startsWith);
    }
}
