package io.sluice.center.series;

import io.sluice.runtime.data.Figures;
import io.sluice.runtime.data.Latencies;

/**
 * The decisions of a time span. Immutable. Numbers stop at {@link #MOST}.
 *
 * @param peakAllowed the maximum number of requests that passed in one second
 * @param peakRefused the maximum number of requests that were refused in one second
 * @param latencies the latencies of all decisions; none for a rule
 */
public record SeriesSum(
        long allowed,
        long refused,
        long shadowRefused,
        long degraded,
        long peakAllowed,
        long peakRefused,
        Latencies latencies) {

    public static final SeriesSum NONE = new SeriesSum(0, 0, 0, 0, 0, 0, Latencies.NONE);

    /** The highest number. A fleet with a million requests per second stays below it for some years. */
    static final long MOST = 1L << 48;

    /** Returns the sum of this and the decisions of another time. */
    SeriesSum then(SeriesSum other) {
        return new SeriesSum(
                add(allowed, other.allowed),
                add(refused, other.refused),
                add(shadowRefused, other.shadowRefused),
                add(degraded, other.degraded),
                Math.max(peakAllowed, other.peakAllowed),
                Math.max(peakRefused, other.peakRefused),
                plus(latencies, other.latencies));
    }

    /** Returns the sum of this and the decisions of another center at the same time. The true peaks are at most the sums of both. */
    SeriesSum beside(SeriesSum other) {
        return new SeriesSum(
                add(allowed, other.allowed),
                add(refused, other.refused),
                add(shadowRefused, other.shadowRefused),
                add(degraded, other.degraded),
                add(peakAllowed, other.peakAllowed),
                add(peakRefused, other.peakRefused),
                plus(latencies, other.latencies));
    }

    boolean isNone() {
        return allowed == 0 && refused == 0 && shadowRefused == 0 && degraded == 0;
    }

    Figures figures() {
        return new Figures(allowed, refused, shadowRefused, degraded);
    }

    /** Adds latencies. The case without latencies is fast, because there are many rules and they have none. */
    private static Latencies plus(Latencies one, Latencies other) {
        if (other.equals(Latencies.NONE)) {
            return one;
        }
        return one.equals(Latencies.NONE) ? other : one.plus(other);
    }

    static long add(long one, long other) {
        return Math.min(MOST, one + other);
    }
}
