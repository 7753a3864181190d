package io.sluice.node.gateway.config;

import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * The servers of a service and how they are used, as configured. Immutable.
 *
 * @param name what metrics and logs call it
 * @param origins {@code http://host:port} or {@code https://host:port}, at least one
 * @param http2 whether they are spoken to by HTTP/2
 * @param health how they are asked for their health; without it they are not
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

    /** Which of the servers is next. */
    public enum Balance {
        /** One after the other. */
        ROUND_ROBIN,
        /** The one with the fewest requests under way from here, of equal ones in turn. */
        LEAST_CONNECTIONS
    }

    /**
     * How servers are asked for their health.
     *
     * @param path a GET that is answered with 200 to 399
     * @param timeout for the whole of it
     * @param unhealthyAfter so many bad answers in a row
     * @param healthyAfter so many good answers in a row
     */
    public record HealthSettings(
            String path, Duration interval, Duration timeout, int unhealthyAfter, int healthyAfter) {}

    /**
     * What requests tell of a server's health.
     *
     * @param failures so many in a row, and it is left out; 0: never
     * @param outFor for so long, and then until a request has gone well
     */
    public record PassiveSettings(int failures, Duration outFor) {}
}
