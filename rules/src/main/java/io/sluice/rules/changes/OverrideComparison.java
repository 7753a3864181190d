package io.sluice.rules.changes;

import io.sluice.rules.model.Condition;
import io.sluice.rules.model.LimitOverride;
import io.sluice.rules.model.Rule;
import io.sluice.rules.model.RuleLimit;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Compares the overrides of two rules with the same id. Two overrides count as the same if they apply to the same callers and the same
 * limit.
 */
final class OverrideComparison {

    private final Rule before;
    private final Rule after;
    private final Map<Integer, Integer> limits;
    private final List<RuleChange> changes;

    /**
     * Creates a comparison.
     *
     * @param limits the positions of limits in the old rule, by their positions in the new rule
     */
    OverrideComparison(Rule before, Rule after, Map<Integer, Integer> limits, List<RuleChange> changes) {
        this.before = before;
        this.after = after;
        this.limits = limits;
        this.changes = changes;
    }

    /** The callers and the limit of an override. The limit is a position in the old rule. */
    private record Target(Map<String, Condition> when, int limit) {}

    void compare() {
        Map<Target, Deque<Integer>> old = new HashMap<>();
        for (int i = 0; i < before.overrides().size(); i++) {
            LimitOverride override = before.overrides().get(i);
            old.computeIfAbsent(new Target(override.when(), override.limit()), key -> new ArrayDeque<>())
                    .add(i);
        }
        Order order = new Order();
        for (LimitOverride override : after.overrides()) {
            Target target = new Target(override.when(), limits.getOrDefault(override.limit(), -1));
            Integer position =
                    Optional.ofNullable(old.get(target)).map(Deque::poll).orElse(null);
            if (position == null) {
                say(after, override, " added (" + described(after, override) + until(override) + ")");
            } else {
                order.next(position);
                compare(before.overrides().get(position), override);
            }
        }
        old.values().stream().flatMap(Deque::stream).sorted().forEach(position -> {
            LimitOverride gone = before.overrides().get(position);
            say(before, gone, " removed (" + described(before, gone) + ")");
        });
        if (order.isBroken()) {
            changes.add(new RuleChange.Altered(
                    after.id(), "the order of overrides changed (the first that matches applies)"));
        }
    }

    private void compare(LimitOverride old, LimitOverride now) {
        boolean follow = old.onlyKeeps(limit(before, old)) && now.onlyKeeps(limit(after, now));
        if (!follow && !LimitWords.numbers(old.numbers()).equals(LimitWords.numbers(now.numbers()))) {
            say(after, now, ": " + LimitWords.amount(old.numbers()) + " → " + LimitWords.amount(now.numbers()));
        }
        if (!old.keep().equals(now.keep())) {
            say(after, now, ": keep " + keep(old) + " → " + keep(now));
        }
        if (!old.until().equals(now.until())) {
            say(after, now, ": until " + moment(old) + " → " + moment(now));
        }
    }

    private void say(Rule rule, LimitOverride override, String what) {
        String limit = LimitWords.named(rule.id(), limit(rule, override), false);
        changes.add(new RuleChange.Altered(
                rule.id(), "override of " + limit + " for " + Phrases.when(override.when()) + what));
    }

    private static RuleLimit limit(Rule rule, LimitOverride override) {
        return rule.limits().get(override.limit());
    }

    private static String described(Rule rule, LimitOverride override) {
        return LimitWords.described(override, limit(rule, override));
    }

    private static String keep(LimitOverride override) {
        return override.keep().map(Object::toString).orElse("nothing");
    }

    private static String until(LimitOverride override) {
        return override.until().isPresent() ? ", until " + moment(override) : "";
    }

    private static String moment(LimitOverride override) {
        return override.until().map(Instant::toString).orElse("always");
    }
}
