package io.sluice.node.gateway.config;

import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * A service's servers and how to use them, as configured. Immutable.
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

    /** How the next server is chosen. */
    public enum Balance {
        /** One after another. */
        ROUND_ROBIN,
        /** The server with the fewest requests in flight from this gateway; equal ones take turns. */
        LEAST_CONNECTIONS
    }

    /**
     * Active health checks.
     *
     * @param path the path of a GET request; a status of 200 to 399 is good
     * @param timeout the time for the whole check
     * @param unhealthyAfter how many bad answers in a row make a server unhealthy
     * @param healthyAfter how many good answers in a row make it healthy again
     */
    public record HealthSettings(
            String path, Duration interval, Duration timeout, int unhealthyAfter, int healthyAfter) {}

    /**
     * Passive health checks: what requests reveal about a server.
     *
     * @param failures how many failures in a row take a server out of use; 0 means never
     * @param outFor how long it stays out at least; after that, the first successful request brings it back
     */
    public record PassiveSettings(int failures, Duration outFor) {}
}
