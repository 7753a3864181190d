package io.sluice.benchmarks.verdicts;

import io.sluice.runtime.fleet.Tally;
import java.util.random.RandomGenerator;

/**
 * A group of callers, as sums over them. Counts are drawn for the whole group, which is much faster than for each caller and has the
 * same mean and variance.
 */
final class Cluster {

    /** The squared coefficient of variation of a caller's requests from one interval to the next: callers come in bursts. */
    private static final double BURSTS = 0.5;

    /** The coefficient of variation of single latencies. */
    private static final double SPREAD_OF_LATENCY = 1.5;

    private static final double SMALL_MEAN = 30;

    private double rate;
    private double rateSquared;
    private double refused;
    private double refusedWithRate;
    private double refusedSquared;
    private double admitted;
    private double errors;
    private double latency;
    private double latencySquared;

    void add(double rate, double refused, double errors, double latency) {
        double square = rate * rate;
        double passing = rate * (1 - refused);
        this.rate += rate;
        this.rateSquared += square;
        this.refused += rate * refused;
        this.refusedWithRate += square * refused;
        this.refusedSquared += square * refused * refused;
        this.admitted += passing;
        this.errors += passing * errors;
        this.latency += passing * latency;
        this.latencySquared += passing * latency * latency;
    }

    /** Draws what is counted in so many intervals. */
    Tally draw(int intervals, Weather weather, double degradedShare, RandomGenerator random) {
        if (rate == 0) {
            return Tally.NONE;
        }
        double burst = Math.sqrt(BURSTS * intervals) * random.nextGaussian();
        long requests = count(intervals * rate + burst * Math.sqrt(rateSquared), random);
        double own = Math.max(0, refusedSquared - refusedWithRate * refusedWithRate / rateSquared);
        double expected = intervals * refused
                + burst * refusedWithRate / Math.sqrt(rateSquared)
                + Math.sqrt(BURSTS * intervals * own) * random.nextGaussian();
        long turnedAway = Math.min(requests, count(expected * weather.refusals(), random));
        long answers = requests - turnedAway;
        double perAdmitted = admitted > 0 ? answers / admitted : 0;
        long failed = Math.min(answers, count(perAdmitted * errors + answers * weather.errors(), random));
        double micros = perAdmitted * latency * weather.latency()
                + Math.sqrt(perAdmitted * latencySquared) * SPREAD_OF_LATENCY * random.nextGaussian();
        long withoutStore = Math.min(requests, count(requests * (degradedShare + weather.degraded()), random));
        return new Tally(requests, turnedAway, withoutStore, answers, failed, (long) Math.max(0, micros));
    }

    /** Draws from a Poisson distribution. */
    private static long count(double mean, RandomGenerator random) {
        if (mean <= 0) {
            return 0;
        }
        if (mean > SMALL_MEAN) {
            return Math.max(0, Math.round(mean + Math.sqrt(mean) * random.nextGaussian()));
        }
        double end = Math.exp(-mean);
        long count = -1;
        for (double product = 1; product > end; product *= random.nextDouble()) {
            count++;
        }
        return count;
    }
}
