package io.sluice.rules.changes;

import io.sluice.rules.model.Rule;
import io.sluice.rules.snapshot.RuleSet;
import java.util.List;

/**
 * One thing that is different between two rule sets. Immutable; prints as one sentence that somebody understands who is woken
 * by it: {@code login: limit by ip 5 per 1m → 10 per 1m}.
 */
public sealed interface RuleChange {

    /**
     * What it takes to come from one set to another: empty exactly if their digests are the same. In the order of the new set; then
     * what is gone, in the order of the old one.
     */
    static List<RuleChange> between(RuleSet before, RuleSet after) {
        return SetComparison.changes(before.rules(), after.rules());
    }

    /** The first few sentences on one line, and how many more there are. */
    static String summary(List<RuleChange> changes) {
        if (changes.isEmpty()) {
            return "the same rules";
        }
        int shown = Math.min(changes.size(), 5);
        String first = String.join(
                "; ", changes.subList(0, shown).stream().map(Object::toString).toList());
        return shown == changes.size() ? first : first + "; and " + (changes.size() - shown) + " more changes";
    }

    /** A rule that was not there. */
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

    /** A rule that is no longer there. */
    record Removed(Rule rule) implements RuleChange {
        @Override
        public String toString() {
            return rule.id() + ": removed";
        }
    }

    /**
     * Something about a rule; what its limits have counted still counts.
     *
     * @param rule its id
     * @param what the rest of the sentence
     */
    record Altered(String rule, String what) implements RuleChange {
        @Override
        public String toString() {
            return rule + ": " + what;
        }
    }

    /**
     * A limit has changed in a way that its counts do not survive: every caller begins as if unused.
     *
     * @param rule its id
     * @param limit which of the rule's limits
     * @param why what is different about it
     */
    record StartsFresh(String rule, String limit, String why) implements RuleChange {
        @Override
        public String toString() {
            return rule + ": counts of " + limit + " start fresh (" + why + ")";
        }
    }

    /** Rules that both sets have stand in another order, which decides only which of several is reported. */
    record Reordered() implements RuleChange {
        @Override
        public String toString() {
            return "the order of rules changed";
        }
    }
}
