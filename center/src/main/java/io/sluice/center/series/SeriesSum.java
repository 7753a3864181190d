package io.sluice.center.series;

import io.sluice.runtime.data.Figures;
import io.sluice.runtime.data.Latencies;

/**
 * What was decided in a span of time. Immutable. Numbers stop at {@link #MOST}.
 *
 * @param peakAllowed the requests that passed in the second that had most of them
 * @param peakRefused the requests that were refused in the second that had most of them
 * @param latencies of all decisions; none for a rule
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

    /** The highest number. A fleet with a million requests in a second stays below it for some years. */
    static final long MOST = 1L << 48;

    /** Returns this and what was decided at another time. */
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

    /** Returns this and what was decided elsewhere at the same time. The true peaks are at most the sums of both. */
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

    /** Rules have none, and there are many of them. */
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
