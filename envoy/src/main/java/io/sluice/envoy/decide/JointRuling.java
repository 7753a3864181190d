package io.sluice.envoy.decide;

import io.sluice.core.limit.Limit;
import io.sluice.rules.evaluate.Ruling;
import io.sluice.rules.model.Rule;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The ruling on several requests that were decided together. Immutable.
 *
 * @param whole the ruling on all of them: one decision
 * @param parts the ruling on each, in the order of the requests
 * @param atMicros when it was decided, by the clock of the engine, in microseconds since the epoch
 */
record JointRuling(Ruling.Settled whole, List<PartRuling> parts, long atMicros) {

    JointRuling {
        parts = List.copyOf(parts);
    }

    /**
     * The ruling on one request.
     *
     * @param allowed whether this request passes; if another one is refused, nothing is charged for either
     * @param byRule the rule that denied or exempted it; null if limits decided
     * @param limits the state of each of its limits, in report order, shadow limits last
     * @param usedUp the first of them that is a quota and used up; null if there is none
     */
    record PartRuling(
            boolean allowed,
            @Nullable Rule byRule,
            List<Standing> limits,
            @Nullable Standing usedUp) {

        PartRuling {
            limits = List.copyOf(limits);
        }
    }

    /**
     * The state of a limit after the decision.
     *
     * @param limit the limit with the numbers in force
     * @param shadow whether the limit never refuses
     * @param fits whether the limit lets this request pass; true for a shadow limit whose store failed
     * @param resetAfter the time until the limit is as if unused; empty if waiting does not help
     */
    record Standing(
            Rule rule, Limit limit, boolean shadow, boolean fits, long remaining, Optional<Duration> resetAfter) {}
}
