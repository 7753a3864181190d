package io.sluice.center.identity.server;

/** Why somebody does not get in through an identity server. The sign-in page explains each word. */
public enum SignInProblem {
    /** The identity server does not answer, or answers nonsense. */
    UNAVAILABLE("unavailable"),
    /** The identity server refused, or its answer is not for this sign-in. */
    REFUSED("refused"),
    /** The sign-in was begun too long ago, was used already, or began in another browser. */
    EXPIRED("expired"),
    /** The person is in no group that has a role here. */
    NO_ROLE("no_role"),
    /** The account is disabled here. */
    DISABLED("disabled"),
    /** The person was asked for a fresh proof, and the server has only an old one. */
    NOT_FRESH("not_fresh");

    private final String word;

    SignInProblem(String word) {
        this.word = word;
    }

    public String word() {
        return word;
    }
}
