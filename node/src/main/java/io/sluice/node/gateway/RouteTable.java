package io.sluice.node.gateway;

import java.util.Optional;

/** Which route a request takes. Safe for use by many threads. */
@FunctionalInterface
interface RouteTable {

    /**
     * The most specific of the routes that are for both; empty if there is none.
     *
     * @param host in small letters, without a port
     * @param path in its one form
     */
    Optional<Route> find(String host, String path);
}
