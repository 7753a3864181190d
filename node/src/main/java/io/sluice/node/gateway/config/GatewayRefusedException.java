package io.sluice.node.gateway.config;

/** Thrown if a configuration is well-formed but names something that cannot be used. The message names it. */
public final class GatewayRefusedException extends Exception {

    private static final long serialVersionUID = 1;

    public GatewayRefusedException(String message) {
        super(message);
    }
}
