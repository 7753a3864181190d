package io.sluice.node.gateway.auth;

/** Keys cannot be used; the message says which and why, and nothing of the keys themselves. */
public final class AuthUnreadableException extends Exception {

    private static final long serialVersionUID = 1;

    AuthUnreadableException(String message) {
        super(message);
    }
}
