package io.sluice.rules.trial;

import io.sluice.rules.model.Action;
import io.sluice.rules.model.Handling;
import io.sluice.rules.model.LimitOverride;
import io.sluice.rules.model.Rule;
import io.sluice.rules.model.RuleLimit;
import io.sluice.rules.snapshot.RuleSet;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Finds the limits whose requests or numbers differ between two sets. Ignores candidates, because they refuse no requests. */
final class ChangedLimits {

    private ChangedLimits() {}

    /** Returns the limits of both sets that differ. A changed limit is listed in its old and its new form. */
    static List<RuleLimit> between(RuleSet before, RuleSet after) {
        List<RuleLimit> changed = new ArrayList<>();
        for (Rule old : before.rules()) {
            Optional<Rule> now = after.rule(old.id());
            if (now.isEmpty()) {
                changed.addAll(live(old));
            } else if (!old.equals(now.get())) {
                changed.addAll(between(old, now.get()));
            }
        }
        for (Rule now : after.rules()) {
            if (before.rule(now.id()).isEmpty()) {
                changed.addAll(live(now));
            }
        }
        return changed;
    }

    /** Returns the limits of the second set that start a new count. A limit with only other numbers keeps its count. */
    static List<RuleLimit> fresh(RuleSet before, RuleSet after) {
        List<RuleLimit> fresh = new ArrayList<>();
        for (Rule now : after.rules()) {
            List<RuleLimit> known = before.rule(now.id())
                    .filter(old -> hasSameSettings(old, now))
                    .map(ChangedLimits::live)
                    .orElse(List.of());
            live(now).stream()
                    .filter(limit -> known.stream().noneMatch(old -> hasSameCount(old, limit)))
                    .forEach(fresh::add);
        }
        return fresh;
    }

    private static boolean hasSameCount(RuleLimit old, RuleLimit now) {
        return old.limit().name().equals(now.limit().name())
                && old.limit().shape().equals(now.limit().shape())
                && old.by().equals(now.by());
    }

    private static List<RuleLimit> between(Rule old, Rule now) {
        List<RuleLimit> changed = new ArrayList<>();
        boolean sameRequests = hasSameSettings(old, now);
        for (RuleLimit limit : live(old)) {
            if (!sameRequests || !isIn(now, limit, overrides(old, limit))) {
                changed.add(limit);
            }
        }
        for (RuleLimit limit : live(now)) {
            if (!sameRequests || !isIn(old, limit, overrides(now, limit))) {
                changed.add(limit);
            }
        }
        return changed;
    }

    /** Returns whether two rules apply to the same requests in the same way, regardless of their numbers. */
    static boolean hasSameSettings(Rule old, Rule now) {
        return old.enabled() == now.enabled()
                && old.action() == now.action()
                && old.shadow() == now.shadow()
                && old.use() == now.use()
                && old.scope().equals(now.scope())
                && old.protocol().equals(now.protocol())
                && isCountedAlike(old.handling(), now.handling());
    }

    /** Returns whether the handling counts in the same way. The failure policy and the deadline do not matter for counts. */
    private static boolean isCountedAlike(Handling old, Handling now) {
        return old.mode() == now.mode()
                && old.lease().equals(now.lease())
                && old.guard().equals(now.guard());
    }

    private static List<RuleLimit> live(Rule rule) {
        return rule.enabled() && rule.action() == Action.LIMIT ? rule.limits() : List.of();
    }

    private static boolean isIn(Rule rule, RuleLimit limit, List<LimitOverride> overrides) {
        return rule.limits().stream().filter(limit::equals).anyMatch(same -> bare(overrides(rule, same))
                .equals(bare(overrides)));
    }

    /** Returns the overrides without the position of the limit, which may change. */
    private static List<Object> bare(List<LimitOverride> overrides) {
        return overrides.stream()
                .<Object>map(each -> List.of(each.when(), each.numbers(), each.keep(), each.until()))
                .toList();
    }

    static List<LimitOverride> overrides(Rule rule, RuleLimit limit) {
        int position = rule.limits().indexOf(limit);
        return rule.overrides().stream()
                .filter(override -> override.limit() == position)
                .toList();
    }
}
