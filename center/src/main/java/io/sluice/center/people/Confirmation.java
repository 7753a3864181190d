package io.sluice.center.people;

import java.time.Duration;

/**
 * What the identity server of an account said about the person last. Immutable.
 *
 * @param confirmedAt when it confirmed the person, in milliseconds since the epoch; 0 if it has refused since
 * @param askedAt when it was asked, with or without an answer; 0 to ask it as soon as possible
 * @param refreshToken what the server takes for the next question, encrypted; empty if there is none
 */
public record Confirmation(long account, long confirmedAt, long askedAt, String refreshToken) {

    /** How long a confirmation holds. It bridges an outage of the server, and the time between two sign-ins. */
    public static final Duration LIFE = Duration.ofHours(24);

    /** Without the refresh token. */
    @Override
    public String toString() {
        return "Confirmation[" + account + ", " + confirmedAt + "]";
    }

    /** Returns when it ends, in milliseconds since the epoch. */
    public long endsAt() {
        return confirmedAt + LIFE.toMillis();
    }

    /** Returns whether it has ended. Then sessions, tokens and passkeys of the account rest. */
    public boolean hasEnded(long now) {
        return endsAt() <= now;
    }
}
