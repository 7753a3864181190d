package io.sluice.rules.evaluate;

import io.sluice.core.limit.Limit;
import io.sluice.rules.model.Rule;
import io.sluice.rules.pattern.Attributes;

/**
 * A rule that applies to a call because the caller names it, and the attributes to count by. Immutable.
 *
 * @param rule a rule of the set in force, or one that is in no set; its scope is ignored
 * @param request the attributes for its limits and overrides
 * @param permits 1 to {@link Limit#MAX_PERMITS}
 * @param reserves whether all limits that can be settled are part of the reservation, rather than those whose cost says so
 */
public record RuleCall(Rule rule, Attributes request, long permits, boolean reserves) {

    public RuleCall {
        if (permits < 1 || permits > Limit.MAX_PERMITS) {
            throw new IllegalArgumentException("permits: " + permits + " (expected: 1.." + Limit.MAX_PERMITS + ")");
        }
    }

    /** Creates a call that reserves only what the costs of limits say. */
    public RuleCall(Rule rule, Attributes request, long permits) {
        this(rule, request, permits, false);
    }
}
