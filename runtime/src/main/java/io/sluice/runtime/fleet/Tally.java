package io.sluice.runtime.fleet;

import java.util.List;

/**
 * The numbers of decisions of a process, and of its upstreams' answers. A process reads its counters while they are being incremented, so
 * a part may be ahead of its whole by a few. Immutable.
 *
 * @param requests the number of requests that were decided and charged
 * @param refused the number of these requests that were refused
 * @param degraded the number of these requests that were decided without the shared store that they need
 * @param answers the number of answers of upstreams behind the gateway, and attempts without an answer; 0 if the process has no gateway
 * @param errors the number of these answers with a status of 500 or more, and of attempts without an answer
 * @param latencyMicros the sum over all answers of the time from sending the request until the head of the answer
 */
public record Tally(long requests, long refused, long degraded, long answers, long errors, long latencyMicros) {

    public static final Tally NONE = new Tally(0, 0, 0, 0, 0, 0);

    private static final int NUMBERS = 6;

    public Tally {
        if (requests < 0 || refused < 0 || degraded < 0 || answers < 0 || errors < 0 || latencyMicros < 0) {
            throw new IllegalArgumentException("tally: a negative number (expected: 0 or more)");
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
     * Returns the difference to an earlier tally.
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

    static Tally of(List<Long> numbers) {
        if (numbers.size() != NUMBERS) {
            throw new IllegalArgumentException("tally: " + numbers.size() + " numbers (expected: " + NUMBERS + ")");
        }
        return new Tally(
                numbers.get(0), numbers.get(1), numbers.get(2), numbers.get(3), numbers.get(4), numbers.get(5));
    }

    List<Long> numbers() {
        return List.of(requests, refused, degraded, answers, errors, latencyMicros);
    }
}
