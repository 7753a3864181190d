package io.sluice.core;

/**
 * Thrown by the {@code run} and {@code call} methods of {@link Limiter} if a call was refused and therefore not made. It has no
 * stack trace, because under overload it is thrown for most calls.
 */
public final class LimitExceededException extends RuntimeException {

    private static final long serialVersionUID = 1;

    @SuppressWarnings("serial") // not meant to be serialized
    private final transient Decision decision;

    /** Creates an exception for a refusal. */
    public LimitExceededException(Decision decision) {
        super(decision.toString(), null, false, false);
        this.decision = decision;
    }

    /** Returns the refusal, with the limit that refused and the time to retry. */
    public Decision decision() {
        return decision;
    }
}
