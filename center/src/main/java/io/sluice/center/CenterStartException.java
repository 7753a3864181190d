package io.sluice.center;

/** A center could not start. The message is one line that says what is wrong and what to do. */
public final class CenterStartException extends Exception {

    private static final long serialVersionUID = 1;

    CenterStartException(String message, Throwable cause) {
        super(message, cause);
    }
}
