package io.sluice.spring.boot;

/** The application cannot start as it is configured. Its message is what is wrong and never shows a password. */
final class SluiceStartException extends RuntimeException {

    private static final long serialVersionUID = 1;

    private final String action;

    /** @param action what to do about it */
    SluiceStartException(String message, String action) {
        super(message);
        this.action = action;
    }

    String action() {
        return action;
    }
}
