package io.sluice.rules;

import io.sluice.rules.internal.document.RuleWriter;
import java.util.List;

/**
 * Rules as JSON, each on a line, in one form: equal rules give the same text, keys stand in a fixed order, defaults are left out. What
 * was written reads as the same rule.
 */
public final class RuleJson {

    private RuleJson() {}

    /** One rule, for {@link RuleDocument#parseRule}. */
    public static String rule(Rule rule) {
        return RuleWriter.json(rule);
    }

    /** Rules in their order, for {@link RuleDocument#parse}. */
    public static String document(List<Rule> rules) {
        StringBuilder document = new StringBuilder("{\"rules\":[");
        for (int i = 0; i < rules.size(); i++) {
            document.append(i == 0 ? "\n" : ",\n").append(rule(rules.get(i)));
        }
        return document.append("]}").toString();
    }
}
