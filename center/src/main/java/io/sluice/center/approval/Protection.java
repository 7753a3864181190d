package io.sluice.center.approval;

import io.sluice.rules.changes.RuleChange;
import io.sluice.rules.model.Action;
import io.sluice.rules.model.Rule;
import io.sluice.rules.snapshot.RuleSet;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Decides whether an action needs a second person. Pure functions.
 *
 * <p>A change needs a second person if it touches a protected rule, whether the rule is protected in the version in force or in
 * the result. Every edit counts the same: disabling or shadowing the rule, raising its numbers, matching fewer requests or
 * removing its flag needs the same approval as deleting it. A change also needs a second person if it weakens protected rules
 * from outside: it adds a rule that exempts requests from all limits, or changes the scope of such a rule. The very first version
 * needs none, because it cannot weaken anything.
 */
public final class Protection {

    /**
     * The reason why an action needs a second person.
     *
     * @param rule the id of the touched rule; {@code *} for all rules
     * @param sentence a description of the edit
     * @param weakensOthers whether the edit weakens all protected rules instead of this one only
     */
    public record Reason(String rule, String sentence, boolean weakensOthers) {}

    private Protection() {}

    /**
     * Returns the reasons why a change needs a second person; empty if it needs none.
     *
     * @param before the rules in force
     * @param after the rules that would result
     * @param guarded unprotected rules that count as protected, because an emergency that is not yet reviewed may have removed
     *     their protection
     */
    public static List<Reason> of(RuleSet before, RuleSet after, Set<String> guarded) {
        if (before.version() == 0) {
            return List.of();
        }
        List<Reason> reasons = new ArrayList<>();
        boolean hasProtected = !guarded.isEmpty() || hasProtected(before);
        for (String id : touched(before, after)) {
            Optional<Rule> old = before.rule(id);
            Optional<Rule> now = after.rule(id);
            if (guarded.contains(id) || isProtected(old) || isProtected(now)) {
                reasons.add(new Reason(id, sentence(id, old, now), false));
            }
            if (hasProtected && exempts(now) && !(exempts(old) && isSameScope(old.orElseThrow(), now.orElseThrow()))) {
                reasons.add(new Reason(id, id + ": exempts requests from protected rules", true));
            }
        }
        return List.copyOf(reasons);
    }

    /** Returns the ids of the rules that differ, in the order of the new set; removed rules come last. */
    public static Set<String> touched(RuleSet before, RuleSet after) {
        return Stream.concat(after.rules().stream(), before.rules().stream())
                .map(Rule::id)
                .filter(id -> !before.rule(id).equals(after.rule(id)))
                .collect(Collectors.toCollection(LinkedHashSet::new));
    }

    /**
     * Returns the reasons why a switch to shadow needs a second person; empty if it needs none.
     *
     * @param sets the rules in force and the rules on trial
     * @param rule the id of a rule, or {@code *} for all
     */
    public static List<Reason> ofSwitch(List<RuleSet> sets, String rule, Set<String> guarded) {
        boolean all = rule.equals("*");
        boolean needed = all
                ? !guarded.isEmpty() || sets.stream().anyMatch(Protection::hasProtected)
                : guarded.contains(rule) || sets.stream().anyMatch(set -> isProtected(set.rule(rule)));
        return needed
                ? List.of(new Reason(
                        rule, all ? "all rules, also protected ones, refuse nothing" : rule + ": refuses nothing", all))
                : List.of();
    }

    static boolean isProtected(Optional<Rule> rule) {
        return rule.filter(each -> each.about().isProtected()).isPresent();
    }

    static boolean hasProtected(RuleSet set) {
        return set.rules().stream().anyMatch(rule -> rule.about().isProtected());
    }

    private static boolean exempts(Optional<Rule> rule) {
        return rule.filter(each -> each.enabled() && each.action() == Action.EXEMPT)
                .isPresent();
    }

    /** A different scope may match more requests, so it counts as wider. */
    private static boolean isSameScope(Rule old, Rule now) {
        return old.scope().equals(now.scope()) && old.protocol().equals(now.protocol()) && old.use() == now.use();
    }

    private static String sentence(String id, Optional<Rule> old, Optional<Rule> now) {
        List<String> changes = RuleChange.between(alone(old), alone(now)).stream()
                .map(RuleChange::toString)
                .toList();
        return changes.isEmpty() ? id + ": changed" : String.join("; ", changes);
    }

    private static RuleSet alone(Optional<Rule> rule) {
        return new RuleSet(1, rule.stream().toList());
    }
}
