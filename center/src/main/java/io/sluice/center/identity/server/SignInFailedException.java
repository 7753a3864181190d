package io.sluice.center.identity.server;

import org.jspecify.annotations.Nullable;

/** A failed sign-in through an identity server. The message is only for the log. */
public final class SignInFailedException extends Exception {

    private static final long serialVersionUID = 1;

    private final SignInProblem problem;

    public SignInFailedException(SignInProblem problem, String message) {
        this(problem, message, null);
    }

    public SignInFailedException(SignInProblem problem, String message, @Nullable Throwable cause) {
        super(message, cause);
        this.problem = problem;
    }

    public SignInProblem problem() {
        return problem;
    }
}
