package io.sluice.node.gateway.route;

import java.time.Duration;
import java.util.Optional;

/**
 * The upstreams and limits of requests to a host and path. Immutable, except for the state of its upstreams.
 *
 * @param name the name in logs and metrics: host and path as configured
 * @param service the attribute {@code service} of its requests
 * @param requestTimeout the maximum time from the request's head to the head of the answer
 * @param idleTimeout the maximum time without a byte in either direction, once both are streaming
 * @param largestBody the maximum number of bytes in a request's body; larger ones are refused with 413
 */
public record Route(
        String name,
        Optional<String> service,
        Access access,
        UpstreamGroup upstreams,
        Duration requestTimeout,
        Duration idleTimeout,
        long largestBody) {

    /** Returns this route, but at least as strict about callers as another one. */
    Route asStrictAs(Route other) {
        return other.access.compareTo(access) <= 0
                ? this
                : new Route(name, service, other.access, upstreams, requestTimeout, idleTimeout, largestBody);
    }
}
