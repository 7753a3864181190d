package io.sluice.envoy.decide;

import io.sluice.rules.evaluate.NamedRule;
import io.sluice.rules.pattern.Attributes;
import java.util.List;

/**
 * One of several requests that are decided together. Immutable.
 *
 * @param request what rules match and count by
 * @param permits to be charged; 0 only looks whether one permit would pass. What is above {@link io.sluice.core.limit.Limit#MAX_PERMITS} no limit holds
 * @param named rules that apply because whoever asks found them, beside those that match the attributes
 */
record JointPart(Attributes request, long permits, List<NamedRule> named) {

    JointPart {
        named = List.copyOf(named);
        if (permits < 0) {
            throw new IllegalArgumentException("permits: " + permits + " (expected: 0 or more)");
        }
    }
}
