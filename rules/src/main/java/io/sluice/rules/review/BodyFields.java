package io.sluice.rules.review;

import io.sluice.rules.cost.Cost;
import io.sluice.rules.model.By;
import io.sluice.rules.model.Rule;
import io.sluice.rules.model.RuleLimit;
import java.util.LinkedHashSet;
import java.util.Set;

/**
 * The attributes from the body of a request. If the body cannot be read, a limit that needs such an attribute refuses the
 * request.
 */
final class BodyFields {

    private BodyFields() {}

    static boolean isOne(String attribute) {
        return attribute.startsWith("json.") || attribute.startsWith("form.");
    }

    /** Returns the fields that a limit needs: to match, to count and to charge. */
    static Set<String> of(Rule rule, RuleLimit limit) {
        Set<String> fields = new LinkedHashSet<>(rule.scope().match().keySet());
        for (By by : limit.by()) {
            fields.add(by.attribute());
            by.otherwise().ifPresent(fields::add);
        }
        limit.cost().flatMap(Cost::attribute).ifPresent(fields::add);
        fields.removeIf(attribute -> !isOne(attribute));
        return fields;
    }
}
