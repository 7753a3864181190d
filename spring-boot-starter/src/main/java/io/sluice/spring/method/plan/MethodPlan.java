package io.sluice.spring.method.plan;

import io.sluice.spring.RateLimitExceededException;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * All limits of a method. Immutable.
 *
 * @param limits at least one
 * @param ending when a call of it is over
 * @param maxWait the shortest of those that say one; null if none does
 */
public record MethodPlan(
        List<PlannedLimit> limits, Ending ending, @Nullable Duration maxWait) {

    /** When a call is over. */
    public enum Ending {
        /** When the method returns. */
        RETURN,
        /** When the stage that it returns is completed. */
        STAGE,
        /** When the publisher of at most one item ends. */
        MONO,
        /** When the publisher ends. */
        FLUX
    }

    public MethodPlan {
        limits = List.copyOf(limits);
    }

    public MethodPlan(List<PlannedLimit> limits, Ending ending) {
        this(
                limits,
                ending,
                limits.stream()
                        .map(limit -> limit.parts().maxWait())
                        .filter(Objects::nonNull)
                        .min(Comparator.naturalOrder())
                        .orElse(null));
    }

    /** That of the annotation whose rule refused; null if it has none. */
    @Nullable
    public Fallback fallback(RateLimitExceededException refusal) {
        var rule = refusal.ruling().rule();
        for (PlannedLimit limit : limits) {
            Fallback fallback = limit.parts().fallback();
            if (fallback != null && (rule == null || limit.parts().rule().equals(rule.id()))) {
                return fallback;
            }
        }
        return null;
    }
}
