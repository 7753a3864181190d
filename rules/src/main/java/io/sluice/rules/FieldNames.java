package io.sluice.rules;

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/** Finds out which headers, and which fields of request bodies and queries, a set of rules needs. */
final class FieldNames {

    private FieldNames() {}

    /** The attributes of enabled rules that begin with one of these. */
    static Set<String> of(List<Rule> rules, List<String> prefixes) {
        Set<String> fields = new LinkedHashSet<>();
        for (Rule rule : rules) {
            if (rule.enabled()) {
                for (String attribute : attributes(rule)) {
                    if (prefixes.stream().anyMatch(attribute::startsWith)) {
                        fields.add(attribute);
                    }
                }
            }
        }
        return Set.copyOf(fields);
    }

    private static List<String> attributes(Rule rule) {
        List<String> attributes = new ArrayList<>(rule.scope().match().keySet());
        rule.overrides().forEach(override -> attributes.addAll(override.when().keySet()));
        List<RuleLimit> limits = new ArrayList<>(rule.limits());
        limits.addAll(rule.candidate());
        for (RuleLimit limit : limits) {
            for (By by : limit.by()) {
                attributes.add(by.attribute());
                by.otherwise().ifPresent(attributes::add);
            }
        }
        return attributes;
    }
}
