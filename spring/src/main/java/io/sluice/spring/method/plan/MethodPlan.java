package io.sluice.spring.method.plan;

import io.sluice.spring.RateLimitExceededException;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.springframework.core.ReactiveAdapter;

/**
 * All limits of a method. Immutable.
 *
 * @param limits at least one
 * @param ending when a call of the method ends
 * @param adapter converts between the type that the method returns and a publisher; null if it returns a publisher
 * @param maxWait the shortest maximum wait of all limits; null if none sets one
 */
public record MethodPlan(
        List<PlannedLimit> limits,
        Ending ending,
        @Nullable ReactiveAdapter adapter,
        @Nullable Duration maxWait) {

    /** When a call ends. */
    public enum Ending {
        /** When the method returns or, if it returns an asynchronous result of Spring MVC, when that is complete. */
        RETURN,
        /** When the returned stage completes. */
        STAGE,
        /** When the returned publisher of at most one item ends. Spring makes one of a Kotlin suspend function, too. */
        MONO,
        /** When the returned publisher ends. */
        FLUX
    }

    public MethodPlan {
        limits = List.copyOf(limits);
    }

    public MethodPlan(List<PlannedLimit> limits, Ending ending, @Nullable ReactiveAdapter adapter) {
        this(
                limits,
                ending,
                adapter,
                limits.stream()
                        .map(limit -> limit.parts().maxWait())
                        .filter(Objects::nonNull)
                        .min(Comparator.naturalOrder())
                        .orElse(null));
    }

    /** Returns the fallback of the annotation whose rule refused; null if it has none. */
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
