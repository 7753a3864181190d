package io.sluice.core;

/**
 * A call was refused, and was not made. Thrown by the {@code run} and {@code call} methods of {@link Limiter}. Carries no stack
 * trace: under overload it is thrown for most calls.
 */
public final class LimitExceededException extends RuntimeException {

    private static final long serialVersionUID = 1;

    @SuppressWarnings("serial") // not meant to travel
    private final transient Decision decision;

    /** A refusal. */
    public LimitExceededException(Decision decision) {
        super(decision.toString(), null, false, false);
        this.decision = decision;
    }

    /** What was decided: which limit refuses, and how soon to come back. */
    public Decision decision() {
        return decision;
    }
}
