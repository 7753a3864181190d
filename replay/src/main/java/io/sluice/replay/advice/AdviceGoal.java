package io.sluice.replay.advice;

import java.time.Duration;
import java.util.Optional;

/**
 * The goal of suggested numbers. Immutable.
 *
 * @param callers the maximum share of its callers that a limit may refuse
 * @param requests the maximum share of its counted requests that a limit may refuse
 * @param headroom the share that is added to the numbers that the log needs
 * @param span the time that separates bursts, which are shorter, from sustained use, which is longer
 */
public record AdviceGoal(Optional<Share> callers, Optional<Share> requests, Share headroom, Duration span) {

    /** Requests that come within a minute are a burst. */
    public static final Duration DEFAULT_SPAN = Duration.ofMinutes(1);

    public AdviceGoal {
        if (callers.isEmpty() && requests.isEmpty()) {
            throw new IllegalArgumentException("goal: none (expected: a share of callers or requests)");
        }
        if (span.compareTo(Duration.ofSeconds(1)) < 0 || span.compareTo(Duration.ofDays(1)) > 0) {
            throw new IllegalArgumentException("span: " + span + " (expected: 1s to 1d, such as 1m)");
        }
    }

    long spanMicros() {
        return span.toNanos() / 1_000;
    }

    /** Returns the goal in words: {@code at most 0.1 % of the callers}. */
    public String words() {
        String both = callers.isPresent() && requests.isPresent() ? " and " : "";
        return "at most " + callers.map(share -> share + " of the callers").orElse("") + both
                + requests.map(share -> share + " of the requests").orElse("");
    }
}
