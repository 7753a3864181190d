package io.sluice.benchmarks.verdicts;

import java.util.random.RandomGenerator;

/**
 * What happens to both arms at the same time.
 *
 * @param refusals a factor with mean 1
 * @param errors an additional share of answers
 * @param latency a factor with mean 1
 * @param degraded an additional share of requests
 */
record Weather(double refusals, double errors, double latency, double degraded) {

    private static final double SHARE = 0.002;
    private static final double SPREAD = 0.2;

    /** @param together whether all callers are refused at the same time, because they share a limit */
    static Weather draw(boolean together, RandomGenerator random) {
        return new Weather(
                together ? Population.logNormal(1, random) : 1,
                SHARE * Population.logNormal(1, random),
                Population.logNormal(SPREAD, random),
                SHARE * Population.logNormal(1, random));
    }

    /** Neither errors nor degraded decisions. */
    static Weather fair() {
        return new Weather(1, 0, 1, 0);
    }
}
