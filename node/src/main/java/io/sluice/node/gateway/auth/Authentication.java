package io.sluice.node.gateway.auth;

import java.util.Optional;

/** What is known of who sent a request. Immutable. */
public sealed interface Authentication {

    /** It is proven. */
    record Verified(Identity who) implements Authentication {}

    /** He did not show anything. */
    record Nothing() implements Authentication {}

    /**
     * What he showed is no proof.
     *
     * @param detail our own words, nothing of what was shown
     * @param challenge the value of {@code WWW-Authenticate}
     */
    record Refused(int status, String detail, Optional<String> challenge) implements Authentication {}
}
