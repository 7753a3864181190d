package io.sluice.center.signin;

/** Somebody did not prove who they are. The message is always the same, so that it does not tell which accounts exist. */
public final class SignInRefusedException extends RuntimeException {

    private static final long serialVersionUID = 1;

    public SignInRefusedException() {
        super("user or password: not right, or the account cannot be used (expected: a name and its password)");
    }
}
