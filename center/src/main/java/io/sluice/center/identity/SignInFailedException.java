package io.sluice.center.identity;

import org.jspecify.annotations.Nullable;

/** Somebody does not get in through an identity server. Its message is for the log alone. */
final class SignInFailedException extends Exception {

    private static final long serialVersionUID = 1;

    private final SignInProblem problem;

    SignInFailedException(SignInProblem problem, String message) {
        this(problem, message, null);
    }

    SignInFailedException(SignInProblem problem, String message, @Nullable Throwable cause) {
        super(message, cause);
        this.problem = problem;
    }

    SignInProblem problem() {
        return problem;
    }
}
