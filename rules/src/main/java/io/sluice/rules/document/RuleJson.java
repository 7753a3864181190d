package io.sluice.rules.document;

import io.sluice.rules.model.Rule;
import java.util.List;
import java.util.function.Consumer;

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
        StringBuilder document = new StringBuilder();
        write(rules, document::append);
        return document.toString();
    }

    /** The same document, a rule at a time, for whoever does not want the whole of it in memory. */
    public static void write(List<Rule> rules, Consumer<String> out) {
        out.accept("{\"rules\":[");
        for (int i = 0; i < rules.size(); i++) {
            out.accept((i == 0 ? "\n" : ",\n") + rule(rules.get(i)));
        }
        out.accept("]}");
    }
}
