package io.sluice.benchmarks.verdicts;

import java.util.Arrays;
import java.util.random.RandomGenerator;

/**
 * Callers with known behaviour. Few callers make most of the requests, and few are refused most.
 */
final class Population {

    /** Of a log-normal distribution: the busiest 1 % of the callers make about a fifth of the requests. */
    private static final double SPREAD_OF_RATES = 1.5;

    private static final double SPREAD_OF_LATENCIES = 0.4;
    private static final double SPREAD_OF_BOTS = 0.5;
    private static final double BOTS = 0.05;
    private static final double HEAVY = 0.005;
    private static final double HEAVY_RATE = 10;
    private static final double HEAVY_REFUSED = 0.5;
    private static final double USUALLY_REFUSED = 0.002;
    private static final double FAILING = 0.05;
    private static final double DEGRADED = 0.002;
    private static final double MICROS = 30_000;

    private final double[] rate;
    private final boolean[] heavy;
    private final double[] refused;
    private final double[] errors;
    private final double[] latency;
    private final double degraded;

    private Population(
            double[] rate, boolean[] heavy, double[] refused, double[] errors, double[] latency, double degraded) {
        this.rate = rate;
        this.heavy = heavy;
        this.refused = refused;
        this.errors = errors;
        this.latency = latency;
        this.degraded = degraded;
    }

    /**
     * Draws callers.
     *
     * @param mean requests of a caller in an interval
     */
    static Population of(int callers, double mean, RandomGenerator random) {
        Population drawn = new Population(
                new double[callers],
                new boolean[callers],
                new double[callers],
                new double[callers],
                new double[callers],
                DEGRADED);
        for (int i = 0; i < callers; i++) {
            boolean heavy = random.nextDouble() < HEAVY;
            drawn.heavy[i] = heavy;
            drawn.rate[i] = (heavy ? HEAVY_RATE : 1) * mean * logNormal(SPREAD_OF_RATES, random);
            drawn.refused[i] =
                    heavy ? 2 * HEAVY_REFUSED * random.nextDouble() : USUALLY_REFUSED * logNormal(1, random) / 2;
            drawn.errors[i] = random.nextDouble() < FAILING ? 0.05 : 0.002;
            drawn.latency[i] = MICROS * logNormal(SPREAD_OF_LATENCIES, random);
        }
        return drawn;
    }

    /** Returns a copy with bots among the callers: 5 % of them, who make about a third of the requests. */
    Population withBots(double refusedShare, RandomGenerator random) {
        Population copy = copy(degraded);
        double mean = total() / rate.length;
        for (int i = 0; i < rate.length; i++) {
            copy.heavy[i] = random.nextDouble() < BOTS;
            if (copy.heavy[i]) {
                copy.rate[i] = HEAVY_RATE * mean * logNormal(SPREAD_OF_BOTS, random);
                copy.refused[i] = refusedShare;
            }
        }
        return copy;
    }

    double total() {
        return Arrays.stream(rate).sum();
    }

    /** Returns a copy in which the first caller makes so many requests as all others together make, times the factor. */
    Population withGiant(double factor, double refusedShare) {
        Population copy = copy(degraded);
        copy.rate[0] = factor * (total() - rate[0]);
        copy.refused[0] = refusedShare;
        return copy;
    }

    /** Returns a copy in which nothing is refused, wrong or degraded. */
    Population faultless() {
        Population copy = copy(0);
        for (int i = 0; i < rate.length; i++) {
            copy.refused[i] = 0;
            copy.errors[i] = 0;
        }
        return copy;
    }

    Population copy(double degradedShare) {
        return new Population(
                rate.clone(), heavy.clone(), refused.clone(), errors.clone(), latency.clone(), degradedShare);
    }

    /** Returns the requests of each caller in an interval. */
    double[] rate() {
        return rate;
    }

    /** Returns whether a caller is one of those that are refused often. */
    boolean[] heavy() {
        return heavy;
    }

    /** Returns the share of each caller's requests that is refused. */
    double[] refused() {
        return refused;
    }

    /** Returns the share of each caller's answers that are errors. */
    double[] errors() {
        return errors;
    }

    /** Returns the latency of each caller's answers, in microseconds. */
    double[] latency() {
        return latency;
    }

    /** Returns the share of all requests that is decided without the store. */
    double degraded() {
        return degraded;
    }

    double refusedShare() {
        return weighted(refused, false);
    }

    double errorShare() {
        return weighted(errors, true);
    }

    double meanLatency() {
        return weighted(latency, true);
    }

    private double weighted(double[] of, boolean admitted) {
        double sum = 0;
        double weights = 0;
        for (int i = 0; i < rate.length; i++) {
            double weight = rate[i] * (admitted ? 1 - refused[i] : 1);
            sum += weight * of[i];
            weights += weight;
        }
        return sum / weights;
    }

    /** Returns a factor with mean 1. */
    static double logNormal(double sigma, RandomGenerator random) {
        return Math.exp(sigma * random.nextGaussian() - sigma * sigma / 2);
    }
}
