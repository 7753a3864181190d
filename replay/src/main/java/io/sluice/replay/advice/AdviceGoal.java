package io.sluice.replay.advice;

import java.time.Duration;
import java.util.Optional;

/**
 * What suggested numbers have to achieve. Immutable.
 *
 * @param callers the most callers of a limit that it may refuse, as a share of all of its callers
 * @param requests the most requests that a limit may refuse, as a share of those that it counts
 * @param headroom what is added to the numbers that the log needs
 * @param span bursts are shorter than this, sustained use is longer
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
