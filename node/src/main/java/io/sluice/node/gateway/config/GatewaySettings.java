package io.sluice.node.gateway.config;

import java.time.Duration;
import java.util.Optional;

/**
 * How the gateway listens. Immutable.
 *
 * @param port the port; 0 takes any free port
 * @param largestHeadBytes the maximum size of a request's first line, and of all its headers together
 * @param keepAlive how long a connection may stay open without a request
 * @param connectTimeout how long connecting to an upstream may take
 * @param drain how long requests in flight may take when the gateway closes
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

    /** The defaults, without TLS. */
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
            throw new IllegalArgumentException(name + ": " + duration + " (expected: a positive duration such as 10s)");
        }
    }
}
