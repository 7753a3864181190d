package io.sluice.rules.evaluate;

import io.sluice.core.Decision;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** What the decisions of several engines on one request say together. Stateless. */
public final class CombinedDecisions {

    private CombinedDecisions() {}

    /** The longest; never, if one of them is never. */
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

    /** Whether none of them refuses. */
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

    /** The longest wait. */
    public static Duration waitFor(List<Decision> decisions) {
        Duration longest = Duration.ZERO;
        for (Decision decision : decisions) {
            longest = longer(longest, decision.waitFor());
        }
        return longest;
    }

    /** Why the first degraded one is; null if none is. */
    public static @Nullable String degraded(List<Decision> decisions) {
        for (Decision decision : decisions) {
            if (decision.degraded() != null) {
                return decision.degraded();
            }
        }
        return null;
    }
}
