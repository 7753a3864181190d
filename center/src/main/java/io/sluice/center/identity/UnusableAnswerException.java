package io.sluice.center.identity;

import java.io.IOException;

/** An unusable answer of an identity server. The message names the address and describes the answer, for the log. */
final class UnusableAnswerException extends IOException {

    private static final long serialVersionUID = 1;

    private final int status;

    UnusableAnswerException(int status, String message) {
        super(message);
        this.status = status;
    }

    /** Returns whether the server refused the request instead of failing. */
    boolean isRefusal() {
        return status >= 400 && status < 500;
    }
}
