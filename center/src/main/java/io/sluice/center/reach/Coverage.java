package io.sluice.center.reach;

import io.sluice.center.access.Access;
import io.sluice.center.access.Right;
import io.sluice.center.edit.Edit;
import io.sluice.center.edit.Edits;
import io.sluice.rules.model.Action;
import io.sluice.rules.model.Condition;
import io.sluice.rules.model.Rule;
import io.sluice.rules.model.RuleUse;
import io.sluice.rules.snapshot.RuleSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** Checks whether a caller's rights cover the effects of edits. Pure functions. */
public final class Coverage {

    private static final String TENANT = "tenant";

    private Coverage() {}

    /**
     * Returns the first rule that edits touch and that a right does not cover, in the form {@code rule login}. A rule is covered if each of
     * its states is. A rule that does not exist is covered only by a right over all rules, so that an answer does not reveal whether
     * another tenant has the rule.
     *
     * @param sets the rules that the edits are compared with
     */
    public static Optional<String> missing(Access access, Right right, Edits edits, List<RuleSet> sets) {
        if (access.mayEverywhere(right)) {
            return Optional.empty();
        }
        Optional<String> rule = edits.list().stream()
                .filter(edit -> !covers(access, right, edit, sets))
                .map(edit -> "rule " + edit.rule())
                .findFirst();
        return rule.or(() -> edits.order().isEmpty() ? Optional.empty() : Optional.of("the order of rules"));
    }

    /** Returns whether a right covers a rule in each set that contains it. */
    public static boolean covers(Access access, Right right, String rule, List<RuleSet> sets) {
        return access.mayEverywhere(right) || covers(access, right, new Edit.Remove(rule), sets);
    }

    private static boolean covers(Access access, Right right, Edit edit, List<RuleSet> sets) {
        List<Rule> rules = Visibility.rules(edit, sets).toList();
        return !rules.isEmpty() && rules.stream().allMatch(rule -> access.may(right, rule));
    }

    /**
     * Returns the first rule that edits add or replace and that could act on requests of other tenants than those whose rules the caller
     * may release.
     */
    public static Optional<Rule> unconfined(Access access, Edits edits) {
        return edits.list().stream()
                .filter(edit -> edit instanceof Edit.Put)
                .map(edit -> ((Edit.Put) edit).put())
                .filter(rule -> !isConfined(access, rule))
                .findFirst();
    }

    /**
     * Returns whether a rule is confined as far as needed. A right over the rules of all tenants, or over rules with a label, has no such
     * bound.
     */
    private static boolean isConfined(Access access, Rule rule) {
        boolean isBound = access.tenant().isPresent()
                || access.grants().stream()
                        .noneMatch(grant -> grant.role().has(Right.RELEASE)
                                && grant.tenant().isEmpty()
                                && grant.covers(rule));
        return !isBound
                || rule.about()
                        .tenant()
                        .filter(tenant -> isConfined(rule, tenant))
                        .isPresent();
    }

    /**
     * Returns whether a rule acts only on requests of one tenant, and only as a limit or a refusal: an exemption would lift the limits of
     * others. Rules that code names and rules of other protocols ignore the tenant of a request.
     */
    static boolean isConfined(Rule rule, String tenant) {
        Condition condition = rule.scope().match().get(TENANT);
        return rule.use() == RuleUse.REQUESTS
                && rule.protocol().isEmpty()
                && rule.action() != Action.EXEMPT
                && condition != null
                && condition.values().equals(Set.of(tenant))
                && condition.globs().isEmpty();
    }
}
