package io.sluice.center.identity;

import java.util.Locale;

/** Why somebody does not get in through an identity server. The sign-in page explains each word. */
enum SignInProblem {
    /** The identity server does not answer, or answers nonsense. */
    UNAVAILABLE,
    /** The identity server refused, or its answer is not for this sign-in. */
    REFUSED,
    /** The sign-in was begun too long ago, was used already, or began in another browser. */
    EXPIRED,
    /** The person is in no group that has a role here. */
    NO_ROLE,
    /** The account is disabled here. */
    DISABLED,
    /** The person was asked for a fresh proof, and the server has only an old one. */
    NOT_FRESH;

    String word() {
        return name().toLowerCase(Locale.ROOT);
    }
}
