package io.sluice.node.config;

/** Thrown if a port would serve other machines, and callers would need neither a token nor a certificate. */
public final class ExposedDoorException extends IllegalArgumentException {

    private static final long serialVersionUID = 1;

    ExposedDoorException(String message) {
        super(message);
    }
}
