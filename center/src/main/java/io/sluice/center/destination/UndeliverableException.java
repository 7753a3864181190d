package io.sluice.center.destination;

import java.io.IOException;

/** A destination refused a message for good. */
final class UndeliverableException extends IOException {

    private static final long serialVersionUID = 1;

    UndeliverableException(String message) {
        super(message);
    }
}
