package io.sluice.spring.web;

import io.sluice.spring.RateLimitExceededException;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Finds a refusal in an exception that a framework may have wrapped. */
public final class Refusals {

    private static final int DEEPEST = 8;

    private Refusals() {}

    /**
     * Returns the response to a refused call or an unreadable request, if the exception is or was caused by a refusal or an
     * unreadable request.
     */
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
