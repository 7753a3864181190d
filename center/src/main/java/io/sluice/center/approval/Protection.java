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
 * Finds out what needs a second person. Pure functions.
 *
 * <p>A change needs one if it touches a protected rule: one that is protected in the version in force, or in the result. It does
 * not matter how it touches the rule. To disable it, to shadow it, to raise its numbers, to match fewer requests or to remove its
 * flag needs what deleting it needs. A change also needs one if it weakens protected rules from outside: it adds a rule that
 * exempts requests from all limits, or changes what such a rule matches. The first version of all needs none, because it cannot
 * weaken anything.
 */
public final class Protection {

    /**
     * Why something needs a second person.
     *
     * @param rule the id of the rule that is touched; {@code *} for all
     * @param sentence what happens to it
     * @param weakensOthers whether it weakens all protected rules, and not only this one
     */
    public record Reason(String rule, String sentence, boolean weakensOthers) {}

    private Protection() {}

    /**
     * Returns why a change needs a second person; nothing if it needs none.
     *
     * @param before the rules in force
     * @param after the rules that would result
     * @param guarded rules that count as protected although they are not, because an emergency that nobody reviewed yet may have
     *     removed their protection
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
     * Returns why a switch to shadow needs a second person; nothing if it needs none.
     *
     * @param sets the rules in force, and those on trial
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

    /** A scope that differs may match more requests, so it counts as wider. */
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
