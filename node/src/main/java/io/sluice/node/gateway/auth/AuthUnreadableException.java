package io.sluice.node.gateway.auth;

/** Thrown when keys cannot be used. The message says which and why, and never shows the keys. */
public final class AuthUnreadableException extends Exception {

    private static final long serialVersionUID = 1;

    public AuthUnreadableException(String message) {
        super(message);
    }
}
