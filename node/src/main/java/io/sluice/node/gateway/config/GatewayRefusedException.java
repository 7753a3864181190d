package io.sluice.node.gateway.config;

/** A configuration is well-formed, but what it names is not usable. The message says what. */
public final class GatewayRefusedException extends Exception {

    private static final long serialVersionUID = 1;

    public GatewayRefusedException(String message) {
        super(message);
    }
}
