package io.sluice.node.gateway.config;

import java.time.Duration;
import java.util.Optional;

/**
 * The settings of the gateway's port and connections. Immutable.
 *
 * @param port the port; 0 takes any free port
 * @param largestHeadBytes the maximum size of a request's first line, and of all its headers together
 * @param keepAlive the maximum time for which a connection may stay open without a request
 * @param connectTimeout the maximum time for connecting to an upstream
 * @param drain the maximum time for requests in flight when the gateway closes
 * @param connections the maximum number of open connections
 */
public record GatewaySettings(
        int port,
        Optional<TlsSettings> tls,
        int largestHeadBytes,
        Duration keepAlive,
        Duration connectTimeout,
        Duration drain,
        int connections) {

    private static final int MOST_CONNECTIONS = 10_000;
    private static final int SMALLEST_HEAD = 1_024;
    private static final int LARGEST_HEAD = 1_048_576;

    public GatewaySettings {
        if (port < 0 || port > 65_535) {
            throw new IllegalArgumentException("port: " + port + " (expected: 0..65535)");
        }
        if (largestHeadBytes < SMALLEST_HEAD || largestHeadBytes > LARGEST_HEAD) {
            throw new IllegalArgumentException(
                    "largest head: " + largestHeadBytes + " (expected: " + SMALLEST_HEAD + ".." + LARGEST_HEAD + ")");
        }
        positive("keep-alive", keepAlive);
        positive("connect timeout", connectTimeout);
        if (drain.isNegative()) {
            throw new IllegalArgumentException("drain: " + drain + " (expected: 0s or more)");
        }
        if (connections < 1) {
            throw new IllegalArgumentException("connections: " + connections + " (expected: 1 or more)");
        }
    }

    /** The defaults, without TLS. */
    public static GatewaySettings ofPort(int port) {
        return new GatewaySettings(
                port,
                Optional.empty(),
                32 * 1_024,
                Duration.ofSeconds(75),
                Duration.ofSeconds(3),
                Duration.ofSeconds(10),
                MOST_CONNECTIONS);
    }

    /** Returns the same settings with another port. */
    public GatewaySettings withPort(int other) {
        return new GatewaySettings(other, tls, largestHeadBytes, keepAlive, connectTimeout, drain, connections);
    }

    private static void positive(String name, Duration duration) {
        if (duration.isNegative() || duration.isZero()) {
            throw new IllegalArgumentException(name + ": " + duration + " (expected: a positive duration such as 10s)");
        }
    }
}
