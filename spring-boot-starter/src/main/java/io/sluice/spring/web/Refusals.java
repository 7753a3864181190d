package io.sluice.spring.web;

import io.sluice.spring.RateLimitExceededException;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Finds what is ours to answer in what was thrown: frameworks wrap. */
public final class Refusals {

    private static final int DEEPEST = 8;

    private Refusals() {}

    /** The answer to a refused call, or to a request that could not be read, which this is or which caused it. */
    public static Optional<WebAnswer> answer(Throwable thrown, WebAnswers answers, @Nullable String acceptLanguage) {
        @Nullable Throwable each = thrown;
        for (int depth = 0; each != null && depth < DEEPEST; depth++) {
            if (each instanceof RateLimitExceededException refusal) {
                return Optional.of(answers.refused(refusal.ruling(), acceptLanguage));
            }
            if (each instanceof UnreadableRequestException unreadable) {
                return Optional.of(WebAnswer.of(unreadable.refused()));
            }
            each = each.getCause();
        }
        return Optional.empty();
    }
}
