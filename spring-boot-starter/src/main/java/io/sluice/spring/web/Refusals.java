package io.sluice.spring.web;

import io.sluice.spring.RateLimitExceededException;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Finds refusals in what was thrown: frameworks wrap. */
public final class Refusals {

    private static final int DEEPEST = 8;

    private Refusals() {}

    /** The refusal that this is, or that caused it. */
    public static Optional<RateLimitExceededException> in(Throwable thrown) {
        @Nullable Throwable each = thrown;
        for (int depth = 0; each != null && depth < DEEPEST; depth++) {
            if (each instanceof RateLimitExceededException refusal) {
                return Optional.of(refusal);
            }
            each = each.getCause();
        }
        return Optional.empty();
    }
}
