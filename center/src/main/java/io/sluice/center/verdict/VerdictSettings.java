package io.sluice.center.verdict;

import java.util.Collections;
import java.util.EnumMap;
import java.util.Map;
import java.util.Set;

/**
 * The settings by which a trial is judged.
 *
 * @param tolerances the compared measures with their tolerances. The trial may be worse by the tolerance: 0.01 is one percentage point of a
 *     share, and one percent of the control's latency.
 * @param minRequests the minimum number of requests in each arm, or of answers if answers are compared
 * @param minClusters the minimum number of groups of callers, or of nodes, with requests in each arm
 * @param minCallers the minimum number of callers for a promotion if refusals are compared: the requests on trial must be spread at least
 *     like those of this many equally busy callers. With the default of 200, callers who make 5 % of all requests make a third of that
 *     share on trial or more, except with a probability of 1 %.
 * @param alpha the accepted probability of a false promotion, and of a false rollback, over all looks at a trial
 */
public record VerdictSettings(
        Map<Measure, Double> tolerances, long minRequests, int minClusters, int minCallers, double alpha) {

    private static final long MIN_REQUESTS = 1_000;
    private static final int MIN_BUCKETS = 12;
    private static final int MIN_NODES = 3;
    private static final int MIN_CALLERS = 200;
    private static final double ALPHA = 0.01;
    private static final double MOST_ALPHA = 0.2;
    private static final double MOST_RELATIVE = 10;

    public VerdictSettings {
        if (tolerances.isEmpty()) {
            throw new IllegalArgumentException("compare: nothing (expected: at least one measure, such as refusals)");
        }
        tolerances = Collections.unmodifiableMap(new EnumMap<>(tolerances));
        tolerances.forEach((measure, tolerance) -> {
            double most = measure.relative() ? MOST_RELATIVE : 1;
            if (!(tolerance > 0 && tolerance <= most)) {
                throw new IllegalArgumentException("tolerance: " + Wording.plain(tolerance)
                        + " (expected: for " + measure.word() + " more than 0 and at most " + Wording.plain(most)
                        + ", such as " + Wording.plain(measure.usualTolerance()) + ")");
            }
        });
        if (minRequests < 1) {
            throw new IllegalArgumentException(
                    "min_requests: " + minRequests + " (expected: a positive number such as " + MIN_REQUESTS + ")");
        }
        if (minClusters < 2) {
            throw new IllegalArgumentException("min_clusters: " + minClusters + " (expected: at least 2, such as "
                    + MIN_BUCKETS + " groups of callers or " + MIN_NODES + " nodes)");
        }
        if (minCallers < 0) {
            throw new IllegalArgumentException(
                    "min_callers: " + minCallers + " (expected: 0 or more, such as " + MIN_CALLERS + ")");
        }
        if (!(alpha > 0 && alpha <= MOST_ALPHA)) {
            throw new IllegalArgumentException("alpha: " + Wording.plain(alpha) + " (expected: more than 0 and at most "
                    + MOST_ALPHA + ", such as " + ALPHA + ")");
        }
    }

    /** Returns the default settings for a trial on a share of callers. */
    public static VerdictSettings ofCallers(Set<Measure> compared) {
        return new VerdictSettings(usual(compared), MIN_REQUESTS, MIN_BUCKETS, MIN_CALLERS, ALPHA);
    }

    /** Returns the default settings for a trial on a share of nodes. */
    public static VerdictSettings ofNodes(Set<Measure> compared) {
        return new VerdictSettings(usual(compared), MIN_REQUESTS, MIN_NODES, 0, ALPHA);
    }

    /** Returns the probability of error that one look may spend. The sum over all looks is {@code alpha}. */
    double alpha(int look) {
        return alpha / ((double) look * (look + 1));
    }

    private static Map<Measure, Double> usual(Set<Measure> compared) {
        Map<Measure, Double> tolerances = new EnumMap<>(Measure.class);
        compared.forEach(measure -> tolerances.put(measure, measure.usualTolerance()));
        return tolerances;
    }
}
