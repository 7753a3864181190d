package io.sluice.node.gateway.config;

import java.time.Duration;
import java.util.Optional;

/**
 * How the gateway listens. Immutable.
 *
 * @param port 0 takes a free one
 * @param largestHeadBytes of a request's first line, and of all its headers together
 * @param keepAlive how long a connection may be open without a request
 * @param connectTimeout until a connection to an upstream stands
 * @param drain how long requests under way may take when the gateway closes
 */
public record GatewaySettings(
        int port,
        Optional<TlsSettings> tls,
        int largestHeadBytes,
        Duration keepAlive,
        Duration connectTimeout,
        Duration drain) {

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
    }

    /** Without TLS, with what suits most. */
    public static GatewaySettings ofPort(int port) {
        return new GatewaySettings(
                port,
                Optional.empty(),
                32 * 1_024,
                Duration.ofSeconds(75),
                Duration.ofSeconds(3),
                Duration.ofSeconds(10));
    }

    private static void positive(String name, Duration duration) {
        if (duration.isNegative() || duration.isZero()) {
            throw new IllegalArgumentException(name + ": " + duration + " (expected: more than 0s)");
        }
    }
}
