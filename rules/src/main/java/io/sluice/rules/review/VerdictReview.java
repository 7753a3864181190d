package io.sluice.rules.review;

import io.sluice.rules.model.Action;
import io.sluice.rules.model.EarlyAttributes;
import io.sluice.rules.model.Rule;
import io.sluice.rules.model.RuleUse;
import io.sluice.rules.model.Scope;
import io.sluice.rules.review.CoveringScopes.Covering;
import io.sluice.rules.review.ReviewFinding.Kind;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;

/** Finds rules that never act because another rule denies or exempts all of their requests. */
final class VerdictReview {

    private final List<Rule> rules;
    private final CoveringScopes<Verdicts> verdicts;

    VerdictReview(List<Rule> rules, Effort effort) {
        this.rules = rules;
        Map<Scope, Verdicts> byScope = new LinkedHashMap<>();
        for (int i = 0; i < rules.size(); i++) {
            if (rules.get(i).action() != Action.LIMIT) {
                byScope.merge(rules.get(i).scope(), Verdicts.of(i, rules.get(i)), Verdicts::or);
            }
        }
        this.verdicts = new CoveringScopes<>(byScope, effort);
    }

    /** The positions of the first rule that denies the requests in a scope, and of the first rule that exempts them. */
    private record Verdicts(OptionalInt deny, OptionalInt exempt) {

        static Verdicts of(int position, Rule rule) {
            OptionalInt own = OptionalInt.of(position);
            return rule.action() == Action.DENY
                    ? new Verdicts(own, OptionalInt.empty())
                    : new Verdicts(OptionalInt.empty(), own);
        }

        Verdicts or(Verdicts later) {
            return new Verdicts(deny.isPresent() ? deny : later.deny, exempt.isPresent() ? exempt : later.exempt);
        }
    }

    /** Returns a finding if the rule at this position never acts. */
    Optional<ReviewFinding> of(int position) {
        Rule rule = rules.get(position);
        boolean early = rule.use() == RuleUse.EARLY;
        // Early rules match before there is an answer.
        Scope scope = early ? rule.scope().without(EarlyAttributes.ANSWER_STATUS::equals) : rule.scope();
        List<Covering<Verdicts>> covering = verdicts.of(scope);
        for (Covering<Verdicts> each : covering) {
            OptionalInt deny = each.item().deny();
            if (deny.isPresent() && comesFirst(deny.getAsInt(), position)) {
                return Optional.of(finding(rule, rules.get(deny.getAsInt()), each.same()));
            }
        }
        for (Covering<Verdicts> each : covering) {
            OptionalInt exempt = each.item().exempt();
            if (exempt.isPresent() && comesFirst(exempt.getAsInt(), position)) {
                return Optional.of(finding(rule, rules.get(exempt.getAsInt()), each.same()));
            }
        }
        return Optional.empty();
    }

    /**
     * Returns whether the other rule decides if both match: by its action, or as the first of two rules with the same action.
     * It matches as early as this rule, because it needs no other attributes to cover it.
     */
    private boolean comesFirst(int other, int position) {
        Rule winner = rules.get(other);
        Rule rule = rules.get(position);
        int order = winner.action().compareTo(rule.action());
        if (order == 0) {
            return other < position;
        }
        return order > 0 && !mayMissBody(winner);
    }

    /**
     * Returns whether the rule exempts by a field of the body. If the body cannot be read, such a rule does not match, but a
     * limit that needs the same field refuses the request.
     */
    private static boolean mayMissBody(Rule rule) {
        return rule.action() == Action.EXEMPT
                && rule.scope().match().keySet().stream().anyMatch(BodyFields::isOne);
    }

    private static ReviewFinding finding(Rule rule, Rule winner, boolean same) {
        String does = winner.action() == Action.DENY ? "denies" : "exempts";
        Kind kind = Kind.NEVER_ACTS;
        String sentence = "never acts on requests, because " + winner.id() + " " + does + " all that it matches";
        if (same && winner.action() == rule.action()) {
            kind = Kind.CONFLICT;
            sentence = "does the same as " + winner.id() + ", which " + does + " the same requests";
        } else if (same && (rule.action() == Action.EXEMPT || winner.action() == Action.EXEMPT)) {
            kind = Kind.CONFLICT;
            sentence = "contradicts " + winner.id() + ", which " + does + " the same requests; "
                    + winner.action().word() + " comes before " + rule.action().word()
                    + ", so this rule never acts on requests";
        }
        return new ReviewFinding(rule.id(), Optional.empty(), kind, sentence, Optional.of(winner.id()));
    }
}
