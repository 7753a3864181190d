package io.sluice.node.gateway;

/** Keys cannot be used; the message says which and why, and nothing of the keys themselves. */
final class AuthUnreadableException extends Exception {

    private static final long serialVersionUID = 1;

    AuthUnreadableException(String message) {
        super(message);
    }
}
