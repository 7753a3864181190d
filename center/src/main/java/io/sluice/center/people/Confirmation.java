package io.sluice.center.people;

import java.time.Duration;

/**
 * The last answer of the identity server of an account about the person. Immutable.
 *
 * @param confirmedAt the time at which the server confirmed the person, in milliseconds since the epoch; 0 if it has refused since
 * @param askedAt the time at which the server was asked, with or without an answer; 0 to ask it as soon as possible
 * @param refreshToken the encrypted token for the next question to the server; empty if there is none
 */
public record Confirmation(long account, long confirmedAt, long askedAt, String refreshToken) {

    /** The lifetime of a confirmation. It covers an outage of the server and the time between two sign-ins. */
    public static final Duration LIFE = Duration.ofHours(24);

    /** Returns the text without the refresh token. */
    @Override
    public String toString() {
        return "Confirmation[" + account + ", " + confirmedAt + "]";
    }

    /** Returns the end of the confirmation, in milliseconds since the epoch. */
    public long endsAt() {
        return confirmedAt + LIFE.toMillis();
    }

    /** Returns whether the confirmation has ended. The account's sessions, tokens and passkeys are then suspended. */
    public boolean hasEnded(long now) {
        return endsAt() <= now;
    }
}
