package io.sluice.rules.evaluate;

import io.sluice.core.limit.Limit;
import io.sluice.rules.model.Rule;
import io.sluice.rules.pattern.Attributes;

/**
 * A rule that applies to a call because the caller names it, and the attributes to count by. Immutable.
 *
 * @param rule the rule, from the set in force or from no set; its scope is ignored
 * @param request the attributes for its limits and overrides
 * @param permits the number of permits, 1 to {@link Limit#MAX_PERMITS}
 * @param reserves whether the reservation contains every limit that can be settled, instead of only the limits whose cost has a
 *     settlement
 */
public record RuleCall(Rule rule, Attributes request, long permits, boolean reserves) {

    public RuleCall {
        if (permits < 1 || permits > Limit.MAX_PERMITS) {
            throw new IllegalArgumentException("permits: " + permits + " (expected: 1.." + Limit.MAX_PERMITS + ")");
        }
    }

    /** Creates a call that reserves only for limits whose cost has a settlement. */
    public RuleCall(Rule rule, Attributes request, long permits) {
        this(rule, request, permits, false);
    }
}
