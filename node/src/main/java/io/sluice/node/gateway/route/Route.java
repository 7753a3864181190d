package io.sluice.node.gateway.route;

import java.time.Duration;
import java.util.Optional;

/**
 * Where requests of a host and path go. Immutable, but for the state of its upstreams.
 *
 * @param name what logs and metrics call it: host and path as configured
 * @param service the attribute {@code service} of its requests
 * @param requestTimeout from the request's head until the head of the answer
 * @param idleTimeout without a byte in either direction, once both are under way
 * @param largestBody bytes of a request's body; more are refused with 413
 */
public record Route(
        String name,
        Optional<String> service,
        Access access,
        UpstreamGroup upstreams,
        Duration requestTimeout,
        Duration idleTimeout,
        long largestBody) {}
