package io.sluice.node.gateway.config;

import io.sluice.http.request.CallerAddress;
import io.sluice.http.request.ForwardingHeader;
import io.sluice.http.request.TrustedProxies;
import io.sluice.rules.pattern.Network;
import io.sluice.rules.pattern.PathForm;
import io.sluice.rules.yaml.Errors;
import io.sluice.rules.yaml.Fields;
import io.sluice.rules.yaml.PrintableText;
import io.sluice.rules.yaml.YamlValue.YamlScalar;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/** The gateway's part of a configuration: trusted proxies, authentication, services and routes. Immutable. */
public final class GatewayConfig {

    private static final Duration SHORTEST = Duration.ofMillis(10);
    private static final Duration LONGEST = Duration.ofHours(1);
    private static final int LEAST_HEAD = 1_024;
    private static final int LARGEST_HEAD = 1 << 20;
    private static final int MOST_CONNECTIONS = 10_000_000;

    private final GatewaySettings settings;
    private final PathForm paths;
    private final CallerAddress caller;
    private final Optional<AuthSettings> auth;
    private final RefusalPages refusals;
    private final List<RouteSettings> routes;
    private final List<String> routesWithoutAuth;

    private GatewayConfig(
            GatewaySettings settings,
            PathForm paths,
            CallerAddress caller,
            Optional<AuthSettings> auth,
            RefusalPages refusals,
            List<RouteSettings> routes,
            List<String> routesWithoutAuth) {
        this.settings = settings;
        this.paths = paths;
        this.caller = caller;
        this.auth = auth;
        this.refusals = refusals;
        this.routes = List.copyOf(routes);
        this.routesWithoutAuth = List.copyOf(routesWithoutAuth);
    }

    /**
     * Reads the sections of a configuration. Returns empty if it has no routes. Adds all errors to {@code errors}.
     *
     * @param file the document; relative paths in it are resolved against its directory
     * @param client the section of that name; only some of its fields are read here
     */
    public static Optional<GatewayConfig> read(Path file, Fields root, Optional<Fields> client, Errors errors) {
        Settings own = new Settings(file, errors, Optional.of(root));
        Settings gateway = own.in(
                "gateway",
                List.of(
                        "tls",
                        "largest_header",
                        "keep_alive",
                        "connect_timeout",
                        "drain",
                        "connections",
                        "paths",
                        "refusals"));
        GatewaySettings settings = settings(gateway);
        PathForm paths = paths(gateway.in("paths", List.of("ignore_case", "resolve", "encoded_slash", "servlet")));
        CallerAddress caller = caller(new Settings(file, errors, client));
        Optional<AuthSettings> auth = AuthReader.read(own);
        RefusalPages refusals = RefusalPages.read(gateway);
        Map<String, ServiceSettings> services = ServiceReader.services(own);
        RouteReader reader = new RouteReader(own, services, own.has("auth"), paths);
        List<RouteSettings> routes = reader.routes();
        return own.has("routes")
                ? Optional.of(new GatewayConfig(settings, paths, caller, auth, refusals, routes, reader.withoutAuth()))
                : Optional.empty();
    }

    /** Returns the names of settings that differ from another configuration and cannot change while the gateway runs. */
    public List<String> fixedChanges(GatewayConfig before) {
        List<String> changes = new ArrayList<>();
        GatewaySettings old = before.settings;
        change(changes, "gateway.tls", settings.tls(), old.tls());
        change(changes, "gateway.largest_header", settings.largestHeadBytes(), old.largestHeadBytes());
        change(changes, "gateway.keep_alive", settings.keepAlive(), old.keepAlive());
        change(changes, "gateway.connect_timeout", settings.connectTimeout(), old.connectTimeout());
        change(changes, "gateway.drain", settings.drain(), old.drain());
        change(changes, "gateway.connections", settings.connections(), old.connections());
        return changes;
    }

    /**
     * Refuses to replace a configuration that authenticates callers if this one does not, unless every route says {@code auth: open}. A
     * section that was lost by accident would otherwise open all routes at the same time.
     */
    public void requireAuthLike(Optional<AuthSettings> before) throws GatewayRefusedException {
        if (before.isPresent() && auth.isEmpty() && !routesWithoutAuth.isEmpty()) {
            int more = routesWithoutAuth.size() - 1;
            throw new GatewayRefusedException(
                    "auth: removed, which would open " + PrintableText.text(routesWithoutAuth.get(0))
                            + (more == 0 ? "" : " and " + more + " more")
                            + " to everybody (expected: the section auth, or auth: open for each route that is meant"
                            + " to be open)");
        }
    }

    /** Returns the files with the CA certificates for upstreams. They count as part of the configuration. */
    public Set<Path> authorityFiles() {
        return routes.stream()
                .flatMap(route -> route.upstreams().tls().file().stream())
                .collect(Collectors.toUnmodifiableSet());
    }

    private static void change(List<String> changes, String name, Object now, Object before) {
        if (!now.equals(before)) {
            changes.add(name);
        }
    }

    /** Returns the settings of the listening port. The port number is set elsewhere. */
    public GatewaySettings settings() {
        return settings;
    }

    public PathForm paths() {
        return paths;
    }

    public CallerAddress caller() {
        return caller;
    }

    public Optional<AuthSettings> auth() {
        return auth;
    }

    public RefusalPages refusals() {
        return refusals;
    }

    public List<RouteSettings> routes() {
        return routes;
    }

    private static GatewaySettings settings(Settings own) {
        GatewaySettings usual = GatewaySettings.ofPort(0);
        return new GatewaySettings(
                0,
                tls(own.in("tls", List.of("cert", "key", "client_ca"))),
                (int) own.size("largest_header", LEAST_HEAD, LARGEST_HEAD, usual.largestHeadBytes()),
                own.span("keep_alive", SHORTEST, LONGEST, usual.keepAlive()),
                own.span("connect_timeout", SHORTEST, LONGEST, usual.connectTimeout()),
                own.span("drain", SHORTEST, LONGEST, usual.drain()),
                own.whole("connections", 1, MOST_CONNECTIONS, usual.connections()));
    }

    private static Optional<TlsSettings> tls(Settings own) {
        own.need("cert", "a file in PEM");
        own.need("key", "a file in PEM");
        Optional<Path> key = own.path("key");
        Optional<Path> clientCa = own.path("client_ca");
        return own.path("cert").flatMap(cert -> key.map(its -> new TlsSettings(cert, its, clientCa)));
    }

    private static PathForm paths(Settings own) {
        return new PathForm(
                own.flag("ignore_case", false),
                own.flag("resolve", false),
                own.flag("encoded_slash", false),
                own.flag("servlet", false));
    }

    private static CallerAddress caller(Settings own) {
        if (!own.has("trusted_proxies")) {
            if (own.has("headers")) {
                own.error("headers", "headers: set without trusted_proxies (expected: trusted_proxies, or no headers)");
            }
            return CallerAddress.ofPeer();
        }
        TrustedProxies trusted = trusted(own);
        return new CallerAddress(trusted, headers(own));
    }

    private static TrustedProxies trusted(Settings own) {
        List<YamlScalar> words =
                own.fields().flatMap(fields -> fields.words("trusted_proxies")).orElse(List.of());
        if (words.size() == 1 && words.get(0).text().matches("[0-9]{1,9}")) {
            int count = Integer.parseInt(words.get(0).text());
            return own.fields()
                    .flatMap(fields ->
                            fields.<TrustedProxies>read("trusted_proxies", text -> new TrustedProxies.Nearest(count)))
                    .orElse(new TrustedProxies.Nobody());
        }
        List<Network> networks = new ArrayList<>();
        for (YamlScalar word : words) {
            try {
                networks.add(Network.parse(word.text()));
            } catch (IllegalArgumentException e) {
                own.errors().add(word.place(), "trusted_proxies: " + e.getMessage());
            }
        }
        return new TrustedProxies.Within(networks);
    }

    private static List<ForwardingHeader> headers(Settings own) {
        Optional<List<YamlScalar>> words = own.fields().flatMap(fields -> fields.words("headers"));
        if (words.isEmpty()) {
            return List.of(ForwardingHeader.X_FORWARDED_FOR);
        }
        List<ForwardingHeader> headers = new ArrayList<>();
        for (YamlScalar word : words.get()) {
            try {
                headers.add(ForwardingHeader.named(word.text()));
            } catch (IllegalArgumentException e) {
                own.errors().add(word.place(), String.valueOf(e.getMessage()));
            }
        }
        return headers;
    }
}
