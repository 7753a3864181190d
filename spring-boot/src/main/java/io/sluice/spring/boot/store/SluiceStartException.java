package io.sluice.spring.boot.store;

/**
 * Thrown when the configuration does not allow the application to start. The message says what is wrong; it never shows a
 * password.
 */
public final class SluiceStartException extends RuntimeException {

    private static final long serialVersionUID = 1;

    private final String action;

    /** @param action how to fix it */
    public SluiceStartException(String message, String action) {
        super(message);
        this.action = action;
    }

    public String action() {
        return action;
    }
}
