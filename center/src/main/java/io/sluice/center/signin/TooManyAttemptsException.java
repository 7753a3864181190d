package io.sluice.center.signin;

import java.time.Duration;

/** Thrown if a caller tries to sign in too often, or too many sign-ins run at the same time. */
public final class TooManyAttemptsException extends RuntimeException {

    private static final long serialVersionUID = 1;

    private final Duration retryAfter;

    public TooManyAttemptsException(Duration retryAfter) {
        super("sign-in: too many attempts (expected: another one in " + seconds(retryAfter) + " s)");
        this.retryAfter = retryAfter;
    }

    /** Returns the time after which an attempt can succeed again, in whole seconds, at least 1. */
    public long retryAfterSeconds() {
        return seconds(retryAfter);
    }

    private static long seconds(Duration span) {
        return Math.max(1, span.plusNanos(999_999_999).toSeconds());
    }
}
