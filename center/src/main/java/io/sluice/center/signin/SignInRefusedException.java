package io.sluice.center.signin;

/**
 * Thrown if a caller did not prove their identity or may not sign in. The message is the same for every caller without a proof, so that it
 * does not reveal which accounts exist.
 */
public final class SignInRefusedException extends RuntimeException {

    private static final long serialVersionUID = 1;

    public SignInRefusedException() {
        this("user or password: not right, or the account cannot be used (expected: a name and its password)");
    }

    private SignInRefusedException(String message) {
        super(message);
    }

    /** Creates the refusal of a person whose password is right. */
    public static SignInRefusedException withoutRole() {
        return new SignInRefusedException("role: none (expected: a group of the directory that has a role here; the"
                + " administrators of this center see in its log what was looked for)");
    }
}
