package io.sluice.center.verdict;

/**
 * What was counted for one group of callers, or for one node. Nodes read their counters while these go on counting, so a part may be
 * ahead of its whole by a few.
 *
 * @param requests all requests
 * @param refused requests that were refused
 * @param degraded requests that were decided without the store
 * @param answers requests that the gateway forwarded
 * @param errors forwarded requests with a server error or without an answer
 * @param latencyMicros the sum over all answers
 */
public record Tally(long requests, long refused, long degraded, long answers, long errors, long latencyMicros) {

    public static final Tally NONE = new Tally(0, 0, 0, 0, 0, 0);

    public Tally {
        if ((requests | refused | degraded | answers | errors | latencyMicros) < 0) {
            throw new IllegalArgumentException("tally: " + requests + ", " + refused + ", " + degraded + ", " + answers
                    + ", " + errors + ", " + latencyMicros + " (expected: no negative number)");
        }
    }

    public Tally plus(Tally other) {
        return new Tally(
                requests + other.requests,
                refused + other.refused,
                degraded + other.degraded,
                answers + other.answers,
                errors + other.errors,
                latencyMicros + other.latencyMicros);
    }

    /**
     * Returns what was counted since an earlier tally.
     *
     * @throws IllegalArgumentException unless this tally {@link #continues} the earlier one
     */
    public Tally minus(Tally earlier) {
        return new Tally(
                requests - earlier.requests,
                refused - earlier.refused,
                degraded - earlier.degraded,
                answers - earlier.answers,
                errors - earlier.errors,
                latencyMicros - earlier.latencyMicros);
    }

    /** Returns whether no number is lower than in an earlier tally. */
    public boolean continues(Tally earlier) {
        return requests >= earlier.requests
                && refused >= earlier.refused
                && degraded >= earlier.degraded
                && answers >= earlier.answers
                && errors >= earlier.errors
                && latencyMicros >= earlier.latencyMicros;
    }
}
