package io.sluice.rules.snapshot;

import io.sluice.rules.model.Rule;
import io.sluice.rules.model.RuleLimit;
import io.sluice.rules.yaml.DocumentError;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/** Finds rules with options that documents may have, but that no engine enforces. A set with such rules decides nothing. */
final class UnsupportedOptions {

    private UnsupportedOptions() {}

    /** Returns one error for each option of each enabled rule. */
    static List<DocumentError> of(List<Rule> rules) {
        List<DocumentError> all = new ArrayList<>();
        for (Rule rule : rules) {
            if (rule.enabled()) {
                add(rule, all);
            }
        }
        return List.copyOf(all);
    }

    private static void add(Rule rule, List<DocumentError> all) {
        if (limits(rule).anyMatch(RuleLimit::durable)) {
            all.add(error("durable", rule));
        }
    }

    private static DocumentError error(String option, Rule rule) {
        return DocumentError.of(
                "rules", option + ": in rule " + rule.id() + ", not supported yet (expected: a rule without it)");
    }

    private static Stream<RuleLimit> limits(Rule rule) {
        return Stream.concat(rule.limits().stream(), rule.candidate().stream());
    }
}
