package io.sluice.rules.evaluate;

import io.sluice.core.Decision;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Combines the decisions of several engines on one request. Stateless. */
public final class CombinedDecisions {

    private CombinedDecisions() {}

    /** Returns the longest retry time; empty (never) if one of the decisions has none. */
    public static Optional<Duration> retryAfter(List<Decision> decisions) {
        Duration longest = Duration.ZERO;
        for (Decision decision : decisions) {
            Optional<Duration> retry = decision.retryAfter();
            if (retry.isEmpty()) {
                return retry;
            }
            longest = longer(longest, retry.get());
        }
        return Optional.of(longest);
    }

    /** Returns whether all decisions allow the request. */
    public static boolean allAllow(List<Decision> decisions) {
        for (Decision decision : decisions) {
            if (!decision.allowed()) {
                return false;
            }
        }
        return true;
    }

    private static Duration longer(Duration a, Duration b) {
        return a.compareTo(b) >= 0 ? a : b;
    }

    /** Returns the longest wait. */
    public static Duration waitFor(List<Decision> decisions) {
        Duration longest = Duration.ZERO;
        for (Decision decision : decisions) {
            longest = longer(longest, decision.waitFor());
        }
        return longest;
    }

    /** Returns the reason of the first degraded decision; null if none is degraded. */
    public static @Nullable String degraded(List<Decision> decisions) {
        for (Decision decision : decisions) {
            if (decision.degraded() != null) {
                return decision.degraded();
            }
        }
        return null;
    }
}
