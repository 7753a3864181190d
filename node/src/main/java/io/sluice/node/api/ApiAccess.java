package io.sluice.node.api;

import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpServerRequest;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;

/**
 * The access rules of the api port. Thread-safe if {@code tokens} is.
 *
 * @param tokens returns whether the values of the Authorization header are a valid token; empty if callers need no token
 * @param openPaths the paths that need no token
 */
public record ApiAccess(Optional<Predicate<List<String>>> tokens, Set<String> openPaths) {

    /** Every caller that can reach the port may use it. */
    public static final ApiAccess OPEN = new ApiAccess(Optional.empty(), Set.of());

    public ApiAccess {
        openPaths = Set.copyOf(openPaths);
    }

    /** Returns access for callers with a token. Other callers see only whether the node is healthy, and the metrics if these are open. */
    public static ApiAccess withToken(Predicate<List<String>> tokens, boolean openMetrics) {
        return new ApiAccess(
                Optional.of(tokens),
                openMetrics ? Set.of(ApiHandler.HEALTH, ApiHandler.METRICS) : Set.of(ApiHandler.HEALTH));
    }

    /** Returns whether the request may be answered. */
    boolean admits(HttpServerRequest request) {
        return openPaths.contains(String.valueOf(request.path())) || knows(request);
    }

    /** Returns whether the caller has presented a valid token or needs none. */
    boolean knows(HttpServerRequest request) {
        return tokens.isEmpty() || tokens.get().test(request.headers().getAll(HttpHeaders.AUTHORIZATION));
    }
}
