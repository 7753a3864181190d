package io.sluice.center.approval;

import io.sluice.center.refusal.RefusedException;
import io.sluice.rules.yaml.Spans;
import java.time.Duration;

/**
 * The settings for approvals. Immutable.
 *
 * @param revision the number of the settings, which rises with each change; 0 for the defaults
 * @param approvals how many different people have to approve, not counting the author
 * @param expires how long an approval holds
 * @param emergency how long an action without approval holds
 * @param raisePercent the bound on an override of a protected limit without a second person, in percent of the limit's own
 *     numbers
 */
public record ApprovalSettings(long revision, long approvals, Duration expires, Duration emergency, long raisePercent) {

    private static final long MOST_APPROVALS = 5;
    private static final Duration SHORTEST_EXPIRY = Duration.ofMinutes(5);
    private static final Duration LONGEST_EXPIRY = Duration.ofDays(90);
    private static final Duration SHORTEST_EMERGENCY = Duration.ofMinutes(5);
    private static final Duration LONGEST_EMERGENCY = Duration.ofHours(24);
    private static final long LEAST_RAISE = 100;
    private static final long MOST_RAISE = 1_000;

    /** Declared after the bounds because the constructor checks against them. */
    public static final ApprovalSettings DEFAULT =
            new ApprovalSettings(0, 1, Duration.ofDays(7), Duration.ofHours(4), 200);

    public ApprovalSettings {
        if (approvals < 1 || approvals > MOST_APPROVALS) {
            throw RefusedException.invalid("approvals: " + approvals + " (expected: 1.." + MOST_APPROVALS + ")");
        }
        requireBetween("expires", expires, SHORTEST_EXPIRY, LONGEST_EXPIRY);
        requireBetween("emergency", emergency, SHORTEST_EMERGENCY, LONGEST_EMERGENCY);
        if (raisePercent < LEAST_RAISE || raisePercent > MOST_RAISE) {
            throw RefusedException.invalid("raise: " + raisePercent / 100.0 + " (expected: 1..10)");
        }
    }

    ApprovalSettings withRevision(long other) {
        return new ApprovalSettings(other, approvals, expires, emergency, raisePercent);
    }

    private static void requireBetween(String name, Duration span, Duration shortest, Duration longest) {
        if (span.compareTo(shortest) < 0 || span.compareTo(longest) > 0) {
            throw RefusedException.invalid(name + ": " + Spans.text(span) + " (expected: " + Spans.text(shortest)
                    + " to " + Spans.text(longest) + ", such as 12h or 7d)");
        }
    }
}
