package io.sluice.node.config;

import java.nio.file.Path;
import java.util.Optional;

/**
 * How a node serves Envoy's rate limit protocol. Immutable.
 *
 * @param port 0 takes a free one
 * @param tls its certificates; without them it speaks plain text
 * @param countsLikeTheReference each descriptor by itself and refused requests too, instead of all or nothing
 */
public record GrpcSettings(int port, Optional<Tls> tls, boolean countsLikeTheReference) {

    private static final int HIGHEST_PORT = 65_535;

    public GrpcSettings {
        if (port < 0 || port > HIGHEST_PORT) {
            throw new IllegalArgumentException("grpc port: " + port + " (expected: 0.." + HIGHEST_PORT + ")");
        }
    }

    /** In plain text, all descriptors of a request as one decision. */
    public static GrpcSettings on(int port) {
        return new GrpcSettings(port, Optional.empty(), false);
    }

    /**
     * Certificates in PEM, read again when they change.
     *
     * @param clientCa who signs the certificates that clients must have; without it they need none
     */
    public record Tls(Path cert, Path key, Optional<Path> clientCa) {}
}
