package io.sluice.center.destination;

import java.io.IOException;

/** Thrown if a destination refused a message permanently. */
final class UndeliverableException extends IOException {

    private static final long serialVersionUID = 1;

    UndeliverableException(String message) {
        super(message);
    }
}
