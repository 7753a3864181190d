package io.sluice.node.gateway.route;

import io.sluice.rules.pattern.PathPattern;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Routes by host and path. Immutable. The cost of a lookup depends on the host's labels and the path's segments, not on the
 * number of routes.
 *
 * <p>A route matches a request if both its host and its path do. If several routes match, the route with the most specific host wins
 * (exact name, longest wildcard, any), then the route with the most specific path. The order of the document does not matter. The router
 * of Vert.x ({@code vertx-web}) is not used: it tries its routes in order, so its cost grows with their number.
 */
public final class RouteIndex implements RouteTable {

    private final Map<String, PathTree<Route>> exact;
    private final Map<String, PathTree<Route>> wildcard;
    private final PathTree<Route> any;

    private RouteIndex(Supplier<Map<String, PathTree<Route>>> maps) {
        exact = maps.get();
        wildcard = maps.get();
        any = new PathTree<>(maps);
    }

    /** Builds an index. Used by one thread. */
    public static final class Builder {

        private final Supplier<Map<String, PathTree<Route>>> maps;
        private final RouteIndex index;

        public Builder() {
            this(HashMap::new);
        }

        /** @param maps creates the empty maps for lookups */
        Builder(Supplier<Map<String, PathTree<Route>>> maps) {
            this.maps = maps;
            this.index = new RouteIndex(maps);
        }

        /** Adds a route. If there is already a route for the same requests, that route stays and is returned. */
        public Optional<Route> add(HostPattern host, PathPattern path, Route route) {
            PathTree<Route> paths =
                    switch (host.kind()) {
                        case EXACT -> index.exact.computeIfAbsent(host.name(), name -> new PathTree<>(maps));
                        case WILDCARD -> index.wildcard.computeIfAbsent(host.name(), name -> new PathTree<>(maps));
                        case ANY -> index.any;
                    };
            return Optional.ofNullable(paths.put(path.segments(), route));
        }

        public RouteIndex build() {
            return index;
        }
    }

    @Override
    public Optional<Route> find(String host, String path) {
        Route found = in(exact.get(host), path);
        if (found == null && !wildcard.isEmpty() && HostPattern.mayBeName(host)) {
            for (int dot = host.indexOf('.', 1); found == null && dot > 0; dot = host.indexOf('.', dot + 1)) {
                found = in(wildcard.get(host.substring(dot)), path);
            }
        }
        return Optional.ofNullable(found != null ? found : any.find(path));
    }

    private static @Nullable Route in(@Nullable PathTree<Route> paths, String path) {
        return paths == null ? null : paths.find(path);
    }
}
