package io.sluice.runtime.durable;

import java.io.IOException;

/** Thrown if the center does not understand a sum. It has accepted none or some of the sums, and would refuse the same ones again. */
public final class RefusedSumsException extends IOException {

    private static final long serialVersionUID = 1;

    public RefusedSumsException(String message) {
        super(message);
    }
}
