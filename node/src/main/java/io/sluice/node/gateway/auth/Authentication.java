package io.sluice.node.gateway.auth;

import java.util.Optional;

/** The result of authenticating a request. Immutable. */
public sealed interface Authentication {

    /** The caller is verified. */
    record Verified(Identity who) implements Authentication {}

    /** The request has no credentials. */
    record Nothing() implements Authentication {}

    /**
     * The credentials are invalid.
     *
     * @param detail a fixed text, without any part of the credentials
     * @param challenge the value of {@code WWW-Authenticate}
     */
    record Refused(int status, String detail, Optional<String> challenge) implements Authentication {}
}
