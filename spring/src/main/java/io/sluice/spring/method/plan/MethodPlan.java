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
 * @param limits the limits, at least one
 * @param ending the event that ends a call of the method
 * @param adapter converts between the return type of the method and a publisher; null if it returns a publisher
 * @param maxWait the shortest maximum wait of all limits; null if none sets one
 */
public record MethodPlan(
        List<PlannedLimit> limits,
        Ending ending,
        @Nullable ReactiveAdapter adapter,
        @Nullable Duration maxWait) {

    /** The event that ends a call. */
    public enum Ending {
        /** The method returns or, if it returns an asynchronous result of Spring MVC, this result is complete. */
        RETURN,
        /** The returned stage completes. */
        STAGE,
        /**
         * The returned publisher of at most one item ends. Spring also converts a Kotlin suspend function to such a publisher.
         */
        MONO,
        /** The returned publisher ends. */
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

    /** Returns the fallback of the annotation whose rule refused, or null if it has none. */
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
