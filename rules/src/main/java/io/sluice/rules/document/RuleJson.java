package io.sluice.rules.document;

import io.sluice.rules.model.Rule;
import java.util.List;
import java.util.function.Consumer;

/**
 * Writes rules as JSON, one rule per line, in a canonical form: equal rules give the same text, keys have a fixed order, and
 * defaults are left out. Reading the text gives an equal rule.
 */
public final class RuleJson {

    private RuleJson() {}

    /** Returns one rule, for {@link RuleDocument#parseRule}. */
    public static String rule(Rule rule) {
        return RuleWriter.json(rule);
    }

    /** Returns rules in their order, for {@link RuleDocument#parse}. */
    public static String document(List<Rule> rules) {
        StringBuilder document = new StringBuilder();
        write(rules, document::append);
        return document.toString();
    }

    /** Writes the same document one rule at a time, so that the caller need not hold all of it in memory. */
    public static void write(List<Rule> rules, Consumer<String> out) {
        out.accept("{\"rules\":[");
        for (int i = 0; i < rules.size(); i++) {
            out.accept((i == 0 ? "\n" : ",\n") + rule(rules.get(i)));
        }
        out.accept("]}");
    }
}
