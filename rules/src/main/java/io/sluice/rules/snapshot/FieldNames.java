package io.sluice.rules.snapshot;

import io.sluice.rules.model.Rule;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/** Finds the headers, body fields and query parameters that a set of rules needs. */
final class FieldNames {

    private FieldNames() {}

    /** Returns the attributes of enabled rules. */
    static Set<String> all(List<Rule> rules) {
        Set<String> all = new LinkedHashSet<>();
        for (Rule rule : rules) {
            if (rule.enabled()) {
                rule.addAttributes(all);
            }
        }
        return all;
    }

    /** Returns the attributes that begin with one of these prefixes. */
    static Set<String> of(Set<String> attributes, List<String> prefixes) {
        Set<String> fields = new LinkedHashSet<>();
        for (String attribute : attributes) {
            if (prefixes.stream().anyMatch(attribute::startsWith)) {
                fields.add(attribute);
            }
        }
        return Set.copyOf(fields);
    }
}
