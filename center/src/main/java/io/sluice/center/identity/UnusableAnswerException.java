package io.sluice.center.identity;

import java.io.IOException;

/** An identity server answered something that is not usable. Its message says which address answered what, for the log. */
final class UnusableAnswerException extends IOException {

    private static final long serialVersionUID = 1;

    private final int status;

    UnusableAnswerException(int status, String message) {
        super(message);
        this.status = status;
    }

    /** Returns whether the server refused the request, rather than failed. */
    boolean isRefusal() {
        return status >= 400 && status < 500;
    }
}
