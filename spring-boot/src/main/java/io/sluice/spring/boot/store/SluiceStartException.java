package io.sluice.spring.boot.store;

/**
 * Thrown when the configuration does not allow the application to start. The message describes the problem; it never contains a
 * password.
 */
public final class SluiceStartException extends RuntimeException {

    private static final long serialVersionUID = 1;

    private final String action;

    /** @param action the solution, as a sentence */
    public SluiceStartException(String message, String action) {
        super(message);
        this.action = action;
    }

    public String action() {
        return action;
    }
}
