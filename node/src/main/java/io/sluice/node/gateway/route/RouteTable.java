package io.sluice.node.gateway.route;

import io.sluice.http.request.RefusedRequestException;
import io.sluice.rules.pattern.Attributes;
import java.util.List;
import java.util.Optional;

/** Finds the routes of requests. Immutable. The cost of a lookup does not grow with the number of routes. */
@FunctionalInterface
public interface RouteTable {

    /**
     * Returns the route of a request.
     *
     * @param host the host in lower case, without a port
     * @param path the normalized path
     */
    Optional<Route> find(String host, String path);

    /**
     * Returns the route of a request whose path servers may read in several ways: the route of the normalized path. It authenticates
     * callers if the route of any reading does.
     *
     * @param others the other readings of the path
     * @throws RefusedRequestException if the readings lead to different services, because rules for one of them would not apply
     */
    default Optional<Route> find(String host, String path, List<String> others) throws RefusedRequestException {
        Optional<Route> found = find(host, path);
        if (found.isEmpty() || others.isEmpty()) {
            return found;
        }
        Route strictest = found.get();
        for (String other : others) {
            Optional<Route> also = find(host, other);
            if (also.isPresent()) {
                if (!also.get().service().equals(strictest.service()) && !other.endsWith(Attributes.EMPTY_SEGMENT)) {
                    throw RefusedRequestException.bad(
                            "path: refused (expected: a path that leads to the same service however it is read)");
                }
                strictest = strictest.asStrictAs(also.get());
            }
        }
        return Optional.of(strictest);
    }
}
