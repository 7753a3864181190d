package io.sluice.center;

/** Thrown if a center could not start. The message is one line that names the problem and its solution. */
public final class CenterStartException extends Exception {

    private static final long serialVersionUID = 1;

    CenterStartException(String message, Throwable cause) {
        super(message, cause);
    }
}
