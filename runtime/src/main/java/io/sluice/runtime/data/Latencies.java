package io.sluice.runtime.data;

import java.util.Arrays;

/**
 * The times that decisions took, as counts by span of time. Two instances can be added, so percentiles of a whole fleet are as good as
 * those of one process: a percentile is at most a quarter too high and never too low. Immutable.
 */
public final class Latencies {

    /** The number of spans: 1 µs, then four for each doubling, up to a minute; the last one has everything above. */
    public static final int SPANS = 4 * 25;

    /** The maximum count, so that sums can always be written and read again. */
    private static final long MOST = 1L << 48;

    public static final Latencies NONE = new Latencies(new long[SPANS]);

    private final long[] counts;

    private Latencies(long[] counts) {
        this.counts = counts;
    }

    /**
     * Creates latencies.
     *
     * @param counts the count of each span; missing ones are 0
     */
    public static Latencies of(long[] counts) {
        return new Latencies(Arrays.copyOf(counts, SPANS));
    }

    /** Returns the span that a duration belongs to. */
    public static int span(long nanos) {
        long micros = Math.max(0, nanos / 1_000);
        if (micros < 4) {
            return (int) micros;
        }
        int octave = 63 - Long.numberOfLeadingZeros(micros);
        int quarter = (int) (micros >>> (octave - 2)) & 3;
        return Math.min(SPANS - 1, 4 * (octave - 1) + quarter);
    }

    /** Returns the highest duration of a span, in microseconds. */
    public static long micros(int span) {
        if (span < 4) {
            return span + 1L;
        }
        int octave = span / 4 + 1;
        return (5L + span % 4) << (octave - 2);
    }

    public long count() {
        return Arrays.stream(counts).sum();
    }

    /** Returns the duration that this share of the decisions did not exceed, in microseconds; 0 without decisions. */
    public long micros(double share) {
        long all = count();
        long rank = Math.max(1, (long) Math.ceil(share * all));
        long below = 0;
        for (int span = 0; span < SPANS && all > 0; span++) {
            below += counts[span];
            if (below >= rank) {
                return micros(span);
            }
        }
        return 0;
    }

    public Latencies plus(Latencies other) {
        long[] sum = counts.clone();
        for (int i = 0; i < SPANS; i++) {
            sum[i] = Math.min(MOST, sum[i] + other.counts[i]);
        }
        return new Latencies(sum);
    }

    /** Writes the spans with counts. */
    public void write(PackWriter pack) {
        pack.number(Arrays.stream(counts).filter(count -> count > 0).count());
        for (int i = 0; i < SPANS; i++) {
            if (counts[i] > 0) {
                pack.number(i).number(counts[i]);
            }
        }
    }

    public static Latencies read(PackReader pack) {
        long[] counts = new long[SPANS];
        int spans = pack.count();
        for (int i = 0; i < spans; i++) {
            int span = (int) pack.number(SPANS - 1);
            counts[span] = Math.min(MOST, counts[span] + pack.number(MOST));
        }
        return new Latencies(counts);
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof Latencies that && Arrays.equals(counts, that.counts);
    }

    @Override
    public int hashCode() {
        return Arrays.hashCode(counts);
    }

    @Override
    public String toString() {
        return count() + " decisions";
    }
}
