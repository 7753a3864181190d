package io.sluice.node.gateway.route;

import java.util.Optional;

/** Finds the routes of requests. Immutable. The cost of a lookup does not grow with the number of routes. */
@FunctionalInterface
public interface RouteTable {

    /**
     * Returns the route of a request.
     *
     * @param host in lower case, without a port
     * @param path the normalized path
     */
    Optional<Route> find(String host, String path);
}
