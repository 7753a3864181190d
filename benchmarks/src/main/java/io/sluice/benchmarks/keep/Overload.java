package io.sluice.benchmarks.keep;

import java.util.List;
import java.util.SplittableRandom;

/**
 * The requests of a minute: five times as many as the limit allows. Requests come one by one at random moments, and each belongs to a
 * random class, so that each class comes in small bursts. The same seed gives the same requests. Immutable.
 *
 * @param limit the permits per second of the limit
 * @param seconds how long the requests come
 * @param topShares the part of the limit that the top class asks for, in equally long phases
 */
record Overload(long limit, int seconds, List<Double> topShares) {

    /** How many times the limit is asked for, all classes together. */
    static final int TIMES = 5;

    private static final double FREE_SHARE = 0.3;
    private static final long SEED = 30;

    /** Receives the requests in the order of time. */
    interface Sink {
        /** Called for each request, with the microseconds since the start. */
        void arrive(long micros, Plan plan);
    }

    /** Returns how many requests per second a class sends on average. */
    long perSecond(Plan plan, int second) {
        double top = topShares.get(second * topShares.size() / seconds) * limit;
        double free = FREE_SHARE * limit;
        return Math.round(
                switch (plan) {
                    case TOP -> top;
                    case FREE -> free;
                    case BATCH -> TIMES * limit - top - free;
                });
    }

    void requests(Sink sink) {
        SplittableRandom random = new SplittableRandom(SEED);
        double mean = 1e6 / (TIMES * limit);
        double at = 0;
        while (true) {
            at -= mean * StrictMath.log(1 - random.nextDouble());
            if (at >= seconds * 1e6) {
                return;
            }
            int second = (int) (at / 1e6);
            double chosen = random.nextDouble() * TIMES * limit;
            long top = perSecond(Plan.TOP, second);
            long free = perSecond(Plan.FREE, second);
            sink.arrive((long) at, chosen < top ? Plan.TOP : chosen < top + free ? Plan.FREE : Plan.BATCH);
        }
    }
}
