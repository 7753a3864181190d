package io.sluice.rules.trial;

import io.sluice.rules.document.RuleDocument;
import io.sluice.rules.document.RuleJson;
import io.sluice.rules.model.Action;
import io.sluice.rules.model.Rule;
import io.sluice.rules.model.RuleLimit;
import io.sluice.rules.snapshot.RuleSet;
import java.util.ArrayList;
import java.util.List;

/**
 * Converts changed limits to candidates: they are decided and counted beside the limits in force, and refuse no requests. So
 * the refusals of a change are visible before it takes effect.
 */
public final class Candidates {

    private Candidates() {}

    /** The rules with candidates. */
    public sealed interface Answer {

        /** The rules in force with the changed limits as candidates, and new rules in shadow. */
        record Made(List<Rule> rules) implements Answer {
            public Made {
                rules = List.copyOf(rules);
            }
        }

        /** The change has a part that cannot be a candidate. */
        record Impossible(String why) implements Answer {}
    }

    /** Returns the rules in force, with the differences in another set as candidates. */
    public static Answer of(RuleSet inForce, RuleSet changed) {
        List<Rule> rules = new ArrayList<>();
        try {
            for (Rule rule : inForce.rules()) {
                Rule wanted = changed.rule(rule.id())
                        .orElseThrow(() -> refuse(rule, "it is removed", "a change of its limits"));
                rules.add(rule.equals(wanted) ? rule : beside(rule, wanted));
            }
            for (Rule wanted : changed.rules()) {
                if (inForce.rule(wanted.id()).isEmpty()) {
                    rules.add(inShadow(wanted));
                }
            }
        } catch (IllegalArgumentException e) {
            return new Answer.Impossible(String.valueOf(e.getMessage()));
        }
        return rules.equals(inForce.rules())
                ? new Answer.Impossible("candidate: no limit changes (expected: a change of limits)")
                : new Answer.Made(rules);
    }

    private static Rule inShadow(Rule wanted) {
        if (wanted.action() != Action.LIMIT) {
            throw refuse(wanted, "it has no limits", "a rule with limits");
        }
        return copy(wanted, true, wanted.candidate());
    }

    private static Rule beside(Rule rule, Rule wanted) {
        if (!ChangedLimits.hasSameSettings(rule, wanted)) {
            throw refuse(wanted, "it applies to other requests or in another way", "a change of its limits alone");
        }
        List<RuleLimit> changed = wanted.limits().stream()
                .filter(limit -> !rule.limits().contains(limit))
                .toList();
        if (changed.isEmpty()) {
            throw refuse(wanted, "none of its limits gets other numbers", "a change of its limits");
        }
        for (RuleLimit limit : changed) {
            if (!ChangedLimits.overrides(wanted, limit).isEmpty()) {
                throw refuse(wanted, limit.id() + " has overrides, which candidates cannot have", "a limit without");
            }
        }
        return named(copy(rule, rule.shadow(), changed));
    }

    /** Returns the rule with the names of candidates, which differ from the names of limits in force, by reading it again. */
    private static Rule named(Rule rule) {
        RuleDocument read = RuleDocument.parseRule("candidate", RuleJson.rule(rule));
        if (read instanceof RuleDocument.Accepted accepted) {
            return accepted.rules().get(0);
        }
        throw new IllegalArgumentException(
                "candidate: " + ((RuleDocument.Refused) read).errors().get(0).message());
    }

    private static Rule copy(Rule rule, boolean shadow, List<RuleLimit> candidate) {
        return new Rule(
                rule.id(),
                rule.enabled(),
                rule.action(),
                rule.scope(),
                shadow,
                rule.limits(),
                candidate,
                rule.overrides(),
                rule.handling(),
                rule.use(),
                rule.about(),
                rule.protocol());
    }

    private static IllegalArgumentException refuse(Rule rule, String why, String expected) {
        return new IllegalArgumentException(
                "candidate: rule " + rule.id() + ": " + why + " (expected: " + expected + ")");
    }
}
