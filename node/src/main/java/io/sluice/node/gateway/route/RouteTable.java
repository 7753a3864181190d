package io.sluice.node.gateway.route;

import java.util.Optional;

/** Where requests go. Immutable, and its cost does not grow with the number of routes. */
@FunctionalInterface
public interface RouteTable {

    /**
     * The route of a request.
     *
     * @param host without a port, in small letters
     * @param path in its one form
     */
    Optional<Route> find(String host, String path);
}
