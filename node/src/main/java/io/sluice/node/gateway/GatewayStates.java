package io.sluice.node.gateway;

import io.sluice.core.time.Clock;
import io.sluice.node.gateway.auth.AuthUnreadableException;
import io.sluice.node.gateway.auth.Authenticators;
import io.sluice.node.gateway.chain.GatewayState;
import io.sluice.node.gateway.config.AuthSettings;
import io.sluice.node.gateway.config.GatewayConfig;
import io.sluice.node.gateway.config.GatewayRefusedException;
import io.sluice.node.gateway.config.RouteSettings;
import io.sluice.node.gateway.config.ServiceSettings;
import io.sluice.node.gateway.route.RouteIndex;
import io.sluice.node.gateway.upstream.ServiceUpstreams;
import io.sluice.node.gateway.upstream.UpstreamHealth;
import io.sluice.node.gateway.upstream.Upstreams;
import io.vertx.core.Vertx;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * The gateway's current state, and its replacement by the next configuration. The switch is atomic: new requests use the new
 * state, requests in flight keep the state they started with. Thread-safe.
 */
final class GatewayStates implements AutoCloseable {

    private final Clock clock;
    private final Upstreams upstreams;
    private volatile InForce inForce;

    private record InForce(GatewayState state, Optional<AuthSettings> auth, Set<String> routeNames, int services) {}

    /** Starts with this configuration. */
    GatewayStates(Vertx vertx, Clock clock, GatewayConfig config) throws AuthUnreadableException {
        this.clock = clock;
        this.upstreams = new Upstreams(vertx, clock);
        this.inForce = made(config, authenticators(config.auth()));
    }

    GatewayState now() {
        return inForce.state;
    }

    /** Returns the names of the routes in metrics; series of other routes are removed. */
    Set<String> routeNames() {
        return inForce.routeNames;
    }

    /** Puts the next configuration in force. If it throws, nothing has changed. */
    synchronized void take(GatewayConfig config) throws AuthUnreadableException, GatewayRefusedException {
        InForce before = inForce;
        config.requireAuthLike(before.auth);
        boolean sameAuth = before.auth.equals(config.auth());
        Authenticators auth = sameAuth ? before.state.auth() : authenticators(config.auth());
        inForce = made(config, auth);
        if (!sameAuth) {
            before.state.auth().close();
        }
    }

    List<UpstreamHealth> health() {
        return upstreams.health();
    }

    List<String> findings() {
        return inForce.state.auth().findings();
    }

    /** Returns a short summary for the log. */
    String summary() {
        InForce now = inForce;
        return now.routeNames.size() + (now.routeNames.size() == 1 ? " route" : " routes") + " to " + now.services
                + (now.services == 1 ? " service" : " services");
    }

    @Override
    public synchronized void close() {
        upstreams.close();
        inForce.state.auth().close();
    }

    private Authenticators authenticators(Optional<AuthSettings> settings) throws AuthUnreadableException {
        return settings.isEmpty() ? Authenticators.NONE : Authenticators.open(settings.get(), clock);
    }

    private InForce made(GatewayConfig config, Authenticators auth) {
        Map<ServiceSettings, ServiceUpstreams> groups = upstreams.take(
                config.routes().stream().map(RouteSettings::upstreams).toList());
        RouteIndex.Builder routes = new RouteIndex.Builder();
        for (RouteSettings route : config.routes()) {
            ServiceUpstreams group = groups.get(route.upstreams());
            if (group == null) {
                throw new IllegalStateException(route.upstreams().name() + ": no such group");
            }
            routes.add(route.host(), route.path(), route.over(group));
        }
        return new InForce(
                new GatewayState(routes.build(), auth, config.caller(), config.paths(), config.refusals()),
                config.auth(),
                config.routes().stream().map(RouteSettings::name).collect(Collectors.toUnmodifiableSet()),
                groups.size());
    }
}
