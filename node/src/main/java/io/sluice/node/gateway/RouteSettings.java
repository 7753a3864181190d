package io.sluice.node.gateway;

import io.sluice.rules.PathPattern;
import java.time.Duration;
import java.util.Optional;

/**
 * A route as configured. Immutable.
 *
 * @param service the attribute {@code service} of its requests
 */
record RouteSettings(
        HostPattern host,
        PathPattern path,
        Optional<String> service,
        ServiceSettings upstreams,
        Access access,
        Duration timeout,
        Duration idleTimeout,
        long largestBody) {

    /** What logs and metrics call it. */
    String name() {
        return host.toString() + path;
    }

    Route over(UpstreamGroup group) {
        return new Route(name(), service, access, group, timeout, idleTimeout, largestBody);
    }
}
