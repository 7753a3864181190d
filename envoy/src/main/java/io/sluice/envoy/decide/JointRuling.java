package io.sluice.envoy.decide;

import io.sluice.core.limit.Limit;
import io.sluice.rules.evaluate.Ruling;
import io.sluice.rules.model.Rule;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The answer to several requests that were decided together. Immutable.
 *
 * @param whole what became of all of them: one decision
 * @param parts what became of each, in the order in which they were asked
 * @param atMicros when it was decided, by the time of whoever decided, in microseconds since the epoch
 */
record JointRuling(Ruling.Settled whole, List<PartRuling> parts, long atMicros) {

    JointRuling {
        parts = List.copyOf(parts);
    }

    /**
     * What became of one.
     *
     * @param allowed whether it does not refuse; where another does, nothing is charged all the same
     * @param byRule the rule that denied or exempted it; null if limits decided
     * @param limits how each of its limits stands, in report order, those in shadow last
     */
    record PartRuling(boolean allowed, @Nullable Rule byRule, List<Standing> limits) {

        PartRuling {
            limits = List.copyOf(limits);
        }
    }

    /**
     * How a limit stands after the decision.
     *
     * @param limit with the numbers in force
     * @param shadow whether it never refuses
     * @param fits whether it lets this part pass; of a shadow whose store failed it is taken that it does
     * @param resetAfter until it is as if unused; empty if that will not come by waiting
     */
    record Standing(
            Rule rule, Limit limit, boolean shadow, boolean fits, long remaining, Optional<Duration> resetAfter) {}
}
