package io.sluice.node.config;

import java.nio.file.Path;
import java.util.Optional;

/**
 * How a node serves Envoy's rate limit protocol. Immutable.
 *
 * @param port the port; 0 takes any free port
 * @param tls the certificates; without them the port serves plain text
 * @param countsLikeTheReference whether each descriptor is counted on its own, even for refused requests, instead of all or none
 */
public record GrpcSettings(int port, Optional<Tls> tls, boolean countsLikeTheReference) {

    private static final int HIGHEST_PORT = 65_535;

    public GrpcSettings {
        if (port < 0 || port > HIGHEST_PORT) {
            throw new IllegalArgumentException("grpc port: " + port + " (expected: 0.." + HIGHEST_PORT + ")");
        }
    }

    /** Plain text, with one decision for all descriptors of a request. */
    public static GrpcSettings on(int port) {
        return new GrpcSettings(port, Optional.empty(), false);
    }

    /**
     * Certificates in PEM, reloaded when they change.
     *
     * @param clientCa the authority that must have signed the clients' certificates; without it, clients need no certificate
     */
    public record Tls(Path cert, Path key, Optional<Path> clientCa) {}
}
