package io.sluice.spring.boot.store;

/** The application cannot start as it is configured. Its message is what is wrong and never shows a password. */
public final class SluiceStartException extends RuntimeException {

    private static final long serialVersionUID = 1;

    private final String action;

    /** @param action what to do about it */
    public SluiceStartException(String message, String action) {
        super(message);
        this.action = action;
    }

    public String action() {
        return action;
    }
}
