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
 * @param whole the ruling on all requests together
 * @param parts the ruling on each request, in the order of the requests
 * @param atMicros the time of the decision by the clock of the engine, in microseconds since the epoch
 */
record JointRuling(Ruling.Settled whole, List<PartRuling> parts, long atMicros) {

    JointRuling {
        parts = List.copyOf(parts);
    }

    /**
     * The ruling on one request.
     *
     * @param allowed whether this request passes; if another request is refused, neither is charged
     * @param byRule the rule that denied or exempted it; null if limits decided
     * @param limits the state of each of its limits, in report order, shadow limits last
     * @param usedUp the first of these limits that is a used-up quota; null if there is none
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
