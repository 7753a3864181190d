package io.sluice.rules.snapshot;

import io.sluice.rules.internal.match.ScopeIndex;
import io.sluice.rules.model.Action;
import io.sluice.rules.model.EarlyAttributes;
import io.sluice.rules.model.Rule;
import io.sluice.rules.model.RuleUse;
import io.sluice.rules.pattern.Attributes;
import java.util.List;

/**
 * Indexes the rules that act before callers are authenticated. Immutable.
 *
 * <p>Conditions on the status of the answer are ignored, because there is no answer yet.
 */
final class EarlyIndex {

    private final ScopeIndex index;
    private final List<CompiledRule> rules;
    private final boolean hasLimits;

    private EarlyIndex(List<CompiledRule> rules) {
        this.rules = rules;
        this.hasLimits = rules.stream().anyMatch(ready -> isLimit(ready.rule()));
        this.index = new ScopeIndex(rules.stream()
                .map(ready -> ready.rule().scope().without(EarlyAttributes.ANSWER_STATUS::equals))
                .toList());
    }

    /** Creates the index. It is empty if all early rules are exemptions, because there is no rule to be exempt from. */
    static EarlyIndex of(List<CompiledRule> ready) {
        List<CompiledRule> early =
                ready.stream().filter(each -> each.rule().isEarly()).toList();
        boolean needed = early.stream().anyMatch(each -> each.rule().action() != Action.EXEMPT);
        return new EarlyIndex(needed ? early : List.of());
    }

    boolean isEmpty() {
        return rules.isEmpty();
    }

    /** Returns whether one of the rules has limits. */
    boolean hasLimits() {
        return hasLimits;
    }

    /** Returns the rules that apply to a request, in document order. */
    List<CompiledRule> matching(Attributes request) {
        return rules.isEmpty()
                ? List.of()
                : RuleSet.withoutDoubt(index.matching(request, rules), request, CompiledRule::rule);
    }

    /** Returns whether the rule's limits are decided early and not again later. */
    static boolean isLimit(Rule rule) {
        return rule.use() == RuleUse.EARLY && rule.action() == Action.LIMIT;
    }
}
