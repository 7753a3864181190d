package io.sluice.node.api;

import io.vertx.core.http.HttpMethod;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Dispatches the requests to the api port. Never blocks. Each event loop has its own handler and is the only thread to use it.
 * {@code openapi.json} describes every route.
 */
public final class ApiHandler {

    static final String HEALTH = "/health";
    static final String METRICS = "/metrics";

    private static final List<HttpMethod> READ = List.of(HttpMethod.GET, HttpMethod.HEAD);
    private static final List<HttpMethod> POST = List.of(HttpMethod.POST);

    private final Map<String, Route> routes = new TreeMap<>();
    private final ApiAccess access;
    private final BodyReader bodies;

    private record Route(List<HttpMethod> methods, Consumer<ApiExchange> action) {}

    public ApiHandler(
            DecisionRoutes decisions, EnvoyRoute envoy, StateRoutes state, ApiAccess access, BodyReader bodies) {
        this.access = access;
        this.bodies = bodies;
        post("/v1/check", decisions::check);
        post("/v1/check/batch", decisions::checkAll);
        post("/v1/explain", decisions::explain);
        post("/v1/release", decisions::release);
        post("/v1/renew", decisions::renew);
        post("/v1/settle", decisions::settle);
        post("/json", envoy::decide);
        get("/v1/rules", state::rules);
        get(HEALTH, exchange -> state.health(exchange, access.knows(exchange.request())));
        get(METRICS, state::metrics);
        get("/openapi.json", state::openApi);
    }

    /** Returns the served paths, sorted. */
    List<String> paths() {
        return List.copyOf(routes.keySet());
    }

    void handle(ApiExchange exchange) {
        try {
            if (!access.admits(exchange.request())) {
                refuseStranger(exchange);
                return;
            }
            @Nullable Route route = routes.get(String.valueOf(exchange.request().path()));
            if (route == null) {
                ReplySender.problem(
                        exchange, 404, "path: not served here (expected: " + String.join(", ", routes.keySet()) + ")");
            } else if (route.methods.contains(exchange.request().method())) {
                route.action.accept(exchange);
            } else {
                refuseMethod(exchange, route);
            }
        } catch (RuntimeException e) {
            ReplySender.failed(exchange, e);
        }
    }

    /** Called once per second. */
    void tick() {
        bodies.tick();
    }

    private void get(String path, Consumer<ApiExchange> action) {
        routes.put(path, new Route(READ, action));
    }

    private void post(String path, BiConsumer<ApiExchange, byte[]> action) {
        routes.put(path, new Route(POST, exchange -> bodies.read(exchange, action)));
    }

    /** The body is not read, so the connection cannot be used again. */
    private static void refuseStranger(ApiExchange exchange) {
        exchange.response().putHeader("WWW-Authenticate", "Bearer");
        exchange.refuse(401, "Authorization: missing or invalid (expected: Bearer and a token of this node)");
    }

    private static void refuseMethod(ApiExchange exchange, Route route) {
        String names =
                String.join(", ", route.methods.stream().map(HttpMethod::name).toList());
        exchange.response().putHeader("Allow", names);
        ReplySender.problem(exchange, 405, "method: not allowed here (expected: " + names + ")");
    }
}
