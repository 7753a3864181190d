package io.sluice.spring;

import io.sluice.http.answer.AnswerLanguage;
import io.sluice.http.answer.RefusalText;
import io.sluice.rules.evaluate.Ruling;
import java.time.Duration;
import java.util.Optional;

/**
 * A call was refused. Web applications answer it with 429 (403 where a rule denies), the headers and a problem body, unless an
 * {@code @ExceptionHandler} of theirs takes it.
 *
 * <p>It has no stack trace: refusals are frequent when it matters, and say themselves which limit refused.
 */
public final class RateLimitExceededException extends RuntimeException {

    private static final long serialVersionUID = 1;

    private final transient Ruling.Settled ruling;

    /**
     * A refusal.
     *
     * @param ruling not allowed
     */
    public RateLimitExceededException(Ruling.Settled ruling) {
        super(RefusalText.of(ruling, AnswerLanguage.EN).detail(), null, false, false);
        this.ruling = ruling;
    }

    /** Which rule and limit refused, and how they stand. */
    public Ruling.Settled ruling() {
        return ruling;
    }

    /** When it is worth trying again; empty if waiting will never help. */
    public Optional<Duration> retryAfter() {
        return ruling.retryAfter();
    }
}
