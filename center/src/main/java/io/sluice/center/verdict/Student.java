package io.sluice.center.verdict;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.commons.statistics.distribution.TDistribution;

/** Quantiles of Student's distribution. */
final class Student {

    private static final int MOST_DEGREES = 1_000;

    /** The maximum number of cached quantiles. A quantile takes ten microseconds to compute, and few different quantiles are needed. */
    private static final int MOST_REMEMBERED = 10_000;

    private record Key(int degrees, double alpha) {}

    private static final Map<Key, Double> REMEMBERED = new ConcurrentHashMap<>();

    private Student() {}

    /**
     * Returns the value that is exceeded with probability {@code alpha}. Degrees of freedom are rounded down, which makes the value larger.
     * Below one degree of freedom the value is infinite, because the counts allow no conclusion.
     */
    static double quantile(double degrees, double alpha) {
        if (!(degrees >= 1)) {
            return Double.POSITIVE_INFINITY;
        }
        if (REMEMBERED.size() > MOST_REMEMBERED) {
            REMEMBERED.clear();
        }
        return REMEMBERED.computeIfAbsent(
                new Key((int) Math.min(degrees, MOST_DEGREES), alpha),
                key -> TDistribution.of(key.degrees).inverseSurvivalProbability(key.alpha));
    }
}
