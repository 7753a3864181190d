package io.sluice.center.plan;

import io.sluice.center.verdict.Measure;
import io.sluice.center.verdict.VerdictSettings;
import java.time.Duration;
import java.util.Map;
import java.util.Set;

/**
 * The plan by which a trial is judged.
 *
 * @param every the interval; the trial is judged after 1, 2, 4, 8 … intervals
 * @param watch the time for which both sides of a trial of callers are counted before the trial starts; zero to skip this
 */
public record VerdictPlan(VerdictSettings settings, Duration every, Duration watch) {

    /**
     * The default number of intervals to watch before a trial. A verdict that promotes needs to know how callers differ without the trial.
     */
    private static final int USUAL_WATCH_INTERVALS = 8;

    public static final Duration USUAL_INTERVAL = Duration.ofMinutes(1);
    public static final Duration SHORTEST_INTERVAL = Duration.ofSeconds(1);
    public static final Duration LONGEST_INTERVAL = Duration.ofDays(1);
    public static final Duration LONGEST_WATCH = Duration.ofDays(8);

    /** Returns the default settings with other tolerances and another minimum number of requests. */
    public static VerdictSettings settings(Target target, Map<Measure, Double> tolerances, long minRequests) {
        VerdictSettings usual = usual(target, tolerances.keySet());
        return new VerdictSettings(tolerances, minRequests, usual.minClusters(), usual.minCallers(), usual.alpha());
    }

    /** Returns the default plan. It compares only measures that every node can report, with or without a gateway. */
    public static VerdictPlan usual(Target target) {
        return new VerdictPlan(usual(target, usualMeasures(target)), USUAL_INTERVAL, Duration.ZERO);
    }

    /** Returns the default time to watch before a trial. A verdict that is only displayed does not need this certainty. */
    public static Duration usualWatch(Target target, Set<Measure> measures, Duration every, boolean automatic) {
        return automatic && target instanceof Target.Callers && measures.contains(Measure.REFUSALS)
                ? every.multipliedBy(USUAL_WATCH_INTERVALS)
                : Duration.ZERO;
    }

    /** Returns the measures that are compared by default. */
    public static Set<Measure> usualMeasures(Target target) {
        return target instanceof Target.Nodes ? Set.of(Measure.DEGRADED) : Set.of(Measure.REFUSALS, Measure.DEGRADED);
    }

    /** Returns the default settings for some measures. */
    public static VerdictSettings usual(Target target, Set<Measure> measures) {
        return target instanceof Target.Nodes ? VerdictSettings.ofNodes(measures) : VerdictSettings.ofCallers(measures);
    }
}
