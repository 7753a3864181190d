package io.sluice.replay.advice;

import io.sluice.core.limit.Limit;
import io.sluice.rules.model.LimitOverride;
import io.sluice.rules.model.Rule;
import io.sluice.rules.model.RuleLimit;
import io.sluice.rules.snapshot.RuleSet;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Derives rules from given rules: rules that refuse no request, for measuring, and rules with other numbers. A limit that refuses
 * everything stays as it is.
 */
final class OpenRules {

    private OpenRules() {}

    /** Returns rules whose limits have room for all requests. Shadow limits become ordinary limits; candidates are dropped. */
    static RuleSet of(RuleSet set, Map<String, LimitCase> cases) {
        return new RuleSet(
                1, set.rules().stream().map(rule -> open(rule, cases)).toList());
    }

    private static Rule open(Rule rule, Map<String, LimitCase> cases) {
        if (rule.limits().isEmpty()) {
            return rule;
        }
        List<RuleLimit> limits = new ArrayList<>();
        for (RuleLimit each : rule.limits()) {
            LimitCase own = cases.get(each.id());
            limits.add(own == null || each.limit().capacity() == 0 ? each : each.with(own.open));
        }
        List<LimitOverride> overrides = rule.overrides().stream()
                .map(each -> each.numbers().capacity() == 0
                        ? each
                        : new LimitOverride(
                                each.when(),
                                each.limit(),
                                // One less than the number of the limit, so that a demand shows whether it is for the
                                // limit or the override.
                                LimitNumbers.open(each.numbers(), Optional.empty(), 1),
                                each.until()))
                .toList();
        return copy(rule, false, limits, List.of(), overrides);
    }

    /** Returns rules with other numbers, by the id of the limit. Everything else stays as it is. */
    static List<Rule> with(RuleSet set, Map<String, Limit> numbers) {
        List<Rule> rules = new ArrayList<>();
        for (Rule rule : set.rules()) {
            List<RuleLimit> limits = rule.limits().stream()
                    .map(each -> each.with(numbers.getOrDefault(each.id(), each.limit())))
                    .toList();
            List<LimitOverride> overrides = rule.overrides().stream()
                    .map(each -> following(each, rule.limits().get(each.limit()), limits.get(each.limit())))
                    .toList();
            rules.add(copy(rule, rule.shadow(), limits, rule.candidate(), overrides));
        }
        return rules;
    }

    /**
     * Returns the override for the new limit. An override that only keeps permits for other callers always has the numbers of its limit.
     */
    private static LimitOverride following(LimitOverride override, RuleLimit old, RuleLimit now) {
        boolean fits = override.keep()
                .filter(keep -> keep.permits(now.limit()) <= now.limit().capacity())
                .isPresent();
        return override.onlyKeeps(old) && fits
                ? new LimitOverride(override.when(), override.limit(), now.limit(), override.keep(), override.until())
                : override;
    }

    private static Rule copy(
            Rule rule,
            boolean shadow,
            List<RuleLimit> limits,
            List<RuleLimit> candidate,
            List<LimitOverride> overrides) {
        return new Rule(
                rule.id(),
                rule.enabled(),
                rule.action(),
                rule.scope(),
                shadow,
                limits,
                candidate,
                overrides,
                rule.handling(),
                rule.use(),
                rule.about(),
                rule.protocol());
    }
}
