package io.sluice.node.gateway.auth;

/** Thrown when keys cannot be used. The message names the keys and the reason, and never shows a key. */
public final class AuthUnreadableException extends Exception {

    private static final long serialVersionUID = 1;

    public AuthUnreadableException(String message) {
        super(message);
    }
}
