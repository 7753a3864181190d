package io.sluice.node.gateway.config;

import io.sluice.node.gateway.route.Access;
import io.sluice.node.gateway.route.HostPattern;
import io.sluice.node.gateway.route.Route;
import io.sluice.node.gateway.route.UpstreamGroup;
import io.sluice.rules.pattern.PathPattern;
import java.time.Duration;
import java.util.Optional;

/**
 * A route as configured. Immutable.
 *
 * @param service the attribute {@code service} of its requests
 */
public record RouteSettings(
        HostPattern host,
        PathPattern path,
        Optional<String> service,
        ServiceSettings upstreams,
        Access access,
        Duration timeout,
        Duration idleTimeout,
        long largestBody) {

    /** Returns the route's name in logs and metrics. */
    public String name() {
        return host.toString() + path;
    }

    public Route over(UpstreamGroup group) {
        return new Route(name(), service, access, group, timeout, idleTimeout, largestBody);
    }
}
