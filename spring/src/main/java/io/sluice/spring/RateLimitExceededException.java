package io.sluice.spring;

import io.sluice.http.answer.AnswerLanguage;
import io.sluice.http.answer.RefusalText;
import io.sluice.rules.evaluate.Ruling;
import java.time.Duration;
import java.util.Optional;

/**
 * Thrown when a limit refuses a call.
 *
 * <pre>{@code
 * try {
 *     sms.send(phone, text);
 * } catch (RateLimitExceededException refused) {
 *     refused.retryAfter().ifPresent(wait -> scheduleAgain(wait));
 * }
 * }</pre>
 *
 * <p>In a web application, an uncaught exception becomes a response with status 429 (403 if a rule denies), the rate limit
 * headers and a problem body. An {@code @ExceptionHandler} of the application takes precedence.
 *
 * <p>The exception has no stack trace. Refusals are frequent exactly when the system is under load, and the message already names
 * the limit that refused.
 */
public final class RateLimitExceededException extends RuntimeException {

    private static final long serialVersionUID = 1;

    private final transient Ruling.Settled ruling;

    /**
     * Creates the exception for a refusal.
     *
     * @param ruling a ruling that does not allow the call
     */
    public RateLimitExceededException(Ruling.Settled ruling) {
        super(RefusalText.of(ruling, AnswerLanguage.EN).detail(), null, false, false);
        this.ruling = ruling;
    }

    /** Returns the ruling, with the rule and limit that refused and their state. */
    public Ruling.Settled ruling() {
        return ruling;
    }

    /** Returns the time to wait before the next attempt; empty if waiting never helps. */
    public Optional<Duration> retryAfter() {
        return ruling.retryAfter();
    }
}
