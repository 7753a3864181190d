package io.sluice.node.gateway.config;

import io.sluice.node.gateway.route.Access;
import io.sluice.node.gateway.route.HostPattern;
import io.sluice.node.gateway.route.PathTree;
import io.sluice.rules.pattern.PathForm;
import io.sluice.rules.pattern.PathPattern;
import io.sluice.rules.pattern.PathPattern.Exact;
import io.sluice.rules.pattern.PathPattern.Segment;
import io.sluice.rules.yaml.Fields;
import io.sluice.rules.yaml.PrintableText;
import io.sluice.rules.yaml.YamlValue;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Reads the section {@code routes}. Used for one document by one thread. */
final class RouteReader {

    private static final List<String> KEYS =
            List.of("host", "path", "service", "upstreams", "auth", "timeout", "idle_timeout", "largest_body");
    private static final Map<String, Access> ACCESS =
            Map.of("open", Access.OPEN, "optional", Access.OPTIONAL, "required", Access.REQUIRED);
    private static final PathPattern EVERY_PATH = PathPattern.of("/**");

    private static final Duration SHORTEST = Duration.ofMillis(10);
    private static final Duration LONGEST = Duration.ofDays(1);
    private static final Duration TIMEOUT = Duration.ofSeconds(30);
    private static final Duration IDLE_TIMEOUT = Duration.ofSeconds(60);
    private static final long LARGEST_BODY = 100L << 20;
    private static final long MOST_BYTES = 1L << 40;

    private final Settings root;
    private final Map<String, ServiceSettings> services;
    private final boolean asksWhoCalls;
    private final PathForm paths;
    private final Map<HostPattern, PathTree<Integer>> lines = new HashMap<>();
    private final List<String> withoutAuth = new ArrayList<>();

    RouteReader(Settings root, Map<String, ServiceSettings> services, boolean asksWhoCalls, PathForm paths) {
        this.root = root;
        this.services = services;
        this.asksWhoCalls = asksWhoCalls;
        this.paths = paths;
    }

    List<RouteSettings> routes() {
        List<RouteSettings> routes = new ArrayList<>();
        root.fields()
                .flatMap(own -> own.list("routes"))
                .ifPresent(items -> items.forEach(item -> route(item).ifPresent(routes::add)));
        return routes;
    }

    /** Returns the host and path, as written, of the routes read so far that have no {@code auth}. */
    List<String> withoutAuth() {
        return withoutAuth;
    }

    private Optional<RouteSettings> route(YamlValue item) {
        Settings own = root.of("route", item, KEYS);
        if (own.fields().isEmpty()) {
            return Optional.empty();
        }
        Fields fields = own.fields().get();
        long before = root.errors().count();
        HostPattern host = fields.read("host", HostPattern::of).orElse(HostPattern.ANY);
        PathPattern path = fields.read("path", this::path).orElse(EVERY_PATH);
        Optional<String> service = own.text("service");
        service.flatMap(ServiceReader::name).ifPresent(message -> own.error("service", message));
        Optional<ServiceSettings> upstreams = upstreams(own, service, host.toString() + path);
        Access access = access(own);
        if (!own.has("auth")) {
            withoutAuth.add(host.toString() + path);
        }
        Duration timeout = own.span("timeout", SHORTEST, LONGEST, TIMEOUT);
        Duration idleTimeout = own.span("idle_timeout", SHORTEST, LONGEST, IDLE_TIMEOUT);
        long largestBody = own.size("largest_body", 0, MOST_BYTES, LARGEST_BODY);
        if (root.errors().count() == before) {
            once(fields, host, path);
        }
        return upstreams.map(
                its -> new RouteSettings(host, path, service, its, access, timeout, idleTimeout, largestBody));
    }

    private Optional<ServiceSettings> upstreams(Settings own, Optional<String> service, String routeName) {
        @Nullable ServiceSettings known = service.map(services::get).orElse(null);
        if (own.has("upstreams")) {
            if (known != null) {
                own.error(
                        "upstreams",
                        "upstreams: set here and for service " + known.name() + " (expected: one of the two)");
            }
            return ServiceReader.plain(service.orElse(routeName), own);
        }
        if (known == null) {
            boolean named = service.isPresent() && !own.has("upstreams");
            String key = named ? "service" : "upstreams";
            own.error(
                    key,
                    named
                            ? "service: " + PrintableText.text(service.get())
                                    + " has no upstreams (expected: upstreams here, or the service under services)"
                            : "upstreams: missing (expected: at least one, such as http://127.0.0.1:9001, or a service"
                                    + " with upstreams)");
        }
        return Optional.ofNullable(known);
    }

    /** Returns the route's access. If authentication is configured, a route is open only if it explicitly says so. */
    private Access access(Settings own) {
        Optional<Access> access = own.fields().flatMap(fields -> fields.choice("auth", ACCESS));
        if (!asksWhoCalls && access.filter(its -> its != Access.OPEN).isPresent()) {
            own.error(
                    "auth",
                    "auth: " + own.text("auth").orElse("")
                            + " (expected: open, or a section auth that says how callers authenticate)");
        }
        return access.orElse(asksWhoCalls ? Access.REQUIRED : Access.OPEN);
    }

    private PathPattern path(String text) {
        PathPattern pattern;
        try {
            pattern = PathPattern.of(text);
        } catch (IllegalArgumentException e) {
            String message = String.valueOf(e.getMessage());
            throw new IllegalArgumentException(
                    message.startsWith("resource: ") ? "path: " + message.substring("resource: ".length()) : message,
                    e);
        }
        for (Segment segment : pattern.segments()) {
            if (segment instanceof Exact exact
                    && !paths.normal("/" + exact.name()).equals("/" + exact.name())) {
                throw new IllegalArgumentException("path: " + PrintableText.text(text)
                        + " (expected: lower case, because the gateway ignores case)");
            }
        }
        return pattern;
    }

    private void once(Fields fields, HostPattern host, PathPattern path) {
        Integer line = lines.computeIfAbsent(host, its -> new PathTree<>())
                .put(path.segments(), fields.place().line());
        if (line != null) {
            fields.error(
                    "path",
                    "path: " + PrintableText.text(host.toString() + path) + " (expected: each route once; line " + line
                            + " has a route for the same requests)");
        }
    }
}
