package io.sluice.center.identity.server;

/** The reason why a sign-in through an identity server failed. The sign-in page explains each word. */
public enum SignInProblem {
    /** The identity server does not answer, or its answer is invalid. */
    UNAVAILABLE("unavailable"),
    /** The identity server refused the sign-in, or its answer does not belong to this sign-in. */
    REFUSED("refused"),
    /** The sign-in was started too long ago, was used already, or was started in another browser. */
    EXPIRED("expired"),
    /** The person is in no group that has a role here. */
    NO_ROLE("no_role"),
    /** The account is disabled here. */
    DISABLED("disabled"),
    /** A fresh proof was requested, and the server has only an old one. */
    NOT_FRESH("not_fresh");

    private final String word;

    SignInProblem(String word) {
        this.word = word;
    }

    public String word() {
        return word;
    }
}
