package io.sluice.node.gateway.config;

import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * The configured servers of a service, and how they are used. Immutable.
 *
 * @param name the name in metrics and logs
 * @param origins {@code http://host:port} or {@code https://host:port}, at least one
 * @param http2 whether to use HTTP/2
 * @param health the active health checks; without it there are none
 */
public record ServiceSettings(
        String name,
        List<URI> origins,
        Balance balance,
        boolean http2,
        Optional<HealthSettings> health,
        PassiveSettings passive,
        UpstreamTls tls) {

    public ServiceSettings {
        origins = List.copyOf(origins);
    }

    /** The choice of the next server. */
    public enum Balance {
        /** One after another. */
        ROUND_ROBIN,
        /** The server with the fewest requests in flight from this gateway; servers with equal numbers take turns. */
        LEAST_CONNECTIONS
    }

    /**
     * Active health checks.
     *
     * @param path the path of a GET request; a status of 200 to 399 is good
     * @param timeout the time for the whole check
     * @param unhealthyAfter the number of bad answers in a row that make a server unhealthy
     * @param healthyAfter the number of good answers in a row that make it healthy again
     */
    public record HealthSettings(
            String path, Duration interval, Duration timeout, int unhealthyAfter, int healthyAfter) {}

    /**
     * Passive health checks, which use the results of requests.
     *
     * @param failures the number of failures in a row that take a server out of use; 0 means never
     * @param outFor the minimum time out of use; after that, the first successful request brings the server back
     */
    public record PassiveSettings(int failures, Duration outFor) {}
}
