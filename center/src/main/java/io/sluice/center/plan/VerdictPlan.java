package io.sluice.center.plan;

import io.sluice.center.verdict.Measure;
import io.sluice.center.verdict.VerdictSettings;
import java.time.Duration;
import java.util.Map;
import java.util.Set;

/**
 * How a trial is judged.
 *
 * @param every the interval; the trial is judged after 1, 2, 4, 8 … intervals
 */
public record VerdictPlan(VerdictSettings settings, Duration every) {

    public static final Duration USUAL_INTERVAL = Duration.ofMinutes(1);
    public static final Duration SHORTEST_INTERVAL = Duration.ofSeconds(1);
    public static final Duration LONGEST_INTERVAL = Duration.ofDays(1);

    /** Returns settings with these tolerances, and otherwise as usual. */
    public static VerdictSettings settings(Target target, Map<Measure, Double> tolerances, long minRequests) {
        VerdictSettings usual = usual(target, tolerances.keySet());
        return new VerdictSettings(tolerances, minRequests, usual.minClusters(), usual.minCallers(), usual.alpha());
    }

    /** Returns the usual plan. It compares only what every node can tell, with or without a gateway. */
    public static VerdictPlan usual(Target target) {
        return new VerdictPlan(usual(target, usualMeasures(target)), USUAL_INTERVAL);
    }

    /** Returns what is compared if nothing else is asked for. */
    public static Set<Measure> usualMeasures(Target target) {
        return target instanceof Target.Nodes ? Set.of(Measure.DEGRADED) : Set.of(Measure.REFUSALS, Measure.DEGRADED);
    }

    /** Returns the usual settings for comparing some measures. */
    public static VerdictSettings usual(Target target, Set<Measure> measures) {
        return target instanceof Target.Nodes ? VerdictSettings.ofNodes(measures) : VerdictSettings.ofCallers(measures);
    }
}
