package io.sluice.runtime.fleet;

import java.util.List;

/**
 * How often a process decided, and how its upstreams answered. Immutable.
 *
 * @param requests that were decided and charged
 * @param refused of these requests
 * @param degraded of these requests: decided without the shared store that they need
 * @param answers of upstreams behind the gateway, and attempts without an answer; 0 if the process has no gateway
 * @param errors of these answers: a status of 500 or more, or no answer
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
