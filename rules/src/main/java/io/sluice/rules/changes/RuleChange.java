package io.sluice.rules.changes;

import io.sluice.rules.model.Rule;
import io.sluice.rules.snapshot.RuleSet;
import java.util.List;
import java.util.Optional;

/**
 * One difference between two rule sets. Immutable. Prints as one sentence that an engineer on call understands immediately: {@code login:
 * limit by ip 5 per 1m → 10 per 1m}.
 */
public sealed interface RuleChange {

    /**
     * Returns the differences between two sets. The list is empty exactly if their digests are equal. It follows the order of the
     * new set; removed rules come last, in the order of the old set.
     */
    static List<RuleChange> between(RuleSet before, RuleSet after) {
        return SetComparison.changes(before.rules(), after.rules());
    }

    /** Returns the first few sentences on one line, and the number of further sentences. */
    static String summary(List<RuleChange> changes) {
        if (changes.isEmpty()) {
            return "the same rules";
        }
        int shown = Math.min(changes.size(), 5);
        String first = String.join(
                "; ", changes.subList(0, shown).stream().map(Object::toString).toList());
        return shown == changes.size() ? first : first + "; and " + (changes.size() - shown) + " more changes";
    }

    /** Returns a sentence about the effect of the change on counts; empty if the counts stay. */
    default Optional<String> forCounts() {
        return Optional.empty();
    }

    /** A new rule. */
    record Added(Rule rule) implements RuleChange {
        @Override
        public String toString() {
            String state = (rule.enabled() ? "" : ", disabled") + (rule.shadow() ? ", in shadow" : "");
            int limits = rule.limits().size();
            String what =
                    switch (rule.action()) {
                        case LIMIT -> limits + (limits == 1 ? " limit" : " limits");
                        case EXEMPT -> "exempts";
                        case DENY -> "denies";
                    };
            return rule.id() + ": added" + state + " (" + what + ")";
        }
    }

    /** A removed rule. */
    record Removed(Rule rule) implements RuleChange {
        @Override
        public String toString() {
            return rule.id() + ": removed";
        }
    }

    /**
     * A change to a rule that keeps the counts of its limits.
     *
     * @param rule the rule's id
     * @param what the rest of the sentence
     */
    record Altered(String rule, String what) implements RuleChange {
        @Override
        public String toString() {
            return rule + ": " + what;
        }
    }

    /**
     * A change to a limit that resets its counts: every caller starts as if unused.
     *
     * @param rule the rule's id
     * @param limit the limit's name within the rule
     * @param why the change
     * @param means the consequence for callers
     */
    record StartsFresh(String rule, String limit, String why, String means) implements RuleChange {

        /** Returns, for example, {@code starts a new count: for one window (1m) the old and the new limit can both be used}. */
        @Override
        public Optional<String> forCounts() {
            return Optional.of("starts a new count: " + means);
        }

        @Override
        public String toString() {
            return rule + ": counts of " + limit + " start fresh (" + why + ")";
        }
    }

    /**
     * The rules that both sets have are in a different order. This only affects which of several refusing limits is reported.
     */
    record Reordered() implements RuleChange {
        @Override
        public String toString() {
            return "the order of rules changed";
        }
    }
}
