package io.sluice.replay.imports.peers;

import java.util.ArrayDeque;
import java.util.Deque;

/** By how many admissions an original and an imported rule differ in a run. */
final class SpanDifference {

    private final long spanMillis;
    private final Deque<long[]> recent = new ArrayDeque<>();
    private long ahead;
    private long mostInTotal;
    private long mostInSpan;
    private long refused;

    /**
     * Creates a comparison.
     *
     * @param spanMillis the length of the spans that {@link #mostInSpan} is about
     */
    SpanDifference(long spanMillis) {
        this.spanMillis = spanMillis;
    }

    void add(long millis, boolean original, boolean imported) {
        recent.addLast(new long[] {millis, ahead});
        ahead += (original ? 1 : 0) - (imported ? 1 : 0);
        mostInTotal = Math.max(mostInTotal, Math.abs(ahead));
        refused += original ? 0 : 1;
        while (recent.getFirst()[0] + spanMillis <= millis) {
            recent.removeFirst();
        }
        for (long[] each : recent) {
            mostInSpan = Math.max(mostInSpan, Math.abs(ahead - each[1]));
        }
    }

    /** Returns the largest difference since the beginning. */
    long mostInTotal() {
        return mostInTotal;
    }

    /** Returns the largest difference in a span. */
    long mostInSpan() {
        return mostInSpan;
    }

    /** Returns how many requests the original refused. */
    long refused() {
        return refused;
    }
}
