package io.sluice.envoy.decide;

import io.sluice.rules.evaluate.NamedRule;
import io.sluice.rules.pattern.Attributes;
import java.util.List;

/**
 * One of several requests that are decided together. Immutable.
 *
 * @param request the attributes that rules match and count by
 * @param permits the number of permits to charge; with 0, the part only looks whether one permit would pass. No limit can hold
 *     more than {@link io.sluice.core.limit.Limit#MAX_PERMITS}
 * @param named the rules that the caller found, in addition to the rules that match the attributes
 */
record JointPart(Attributes request, long permits, List<NamedRule> named) {

    JointPart {
        named = List.copyOf(named);
        if (permits < 0) {
            throw new IllegalArgumentException("permits: " + permits + " (expected: 0 or more)");
        }
    }
}
