package io.sluice.node.gateway;

import io.sluice.core.time.Clock;
import io.sluice.node.config.StartFailedException;
import io.sluice.node.gateway.auth.AuthUnreadableException;
import io.sluice.node.gateway.chain.Extensions;
import io.sluice.node.gateway.chain.Gateway;
import io.sluice.node.gateway.config.GatewayConfig;
import io.sluice.node.gateway.config.GatewayRefusedException;
import io.sluice.node.gateway.config.GatewaySettings;
import io.sluice.node.gateway.door.GatewayDoor;
import io.sluice.node.gateway.route.Route;
import io.sluice.node.gateway.upstream.UpstreamHealth;
import io.sluice.node.transport.Arrivals;
import io.sluice.rules.evaluate.Evaluator;
import io.vertx.core.Vertx;
import java.util.List;
import java.util.Set;

/** A gateway that listens, and sends requests on by the configuration it was given last. Safe for use by many threads. */
public final class OpenGateway implements AutoCloseable {

    private final GatewayStates states;
    private final GatewayDoor door;
    private final boolean tls;

    private OpenGateway(GatewayStates states, GatewayDoor door, boolean tls) {
        this.states = states;
        this.door = door;
        this.tls = tls;
    }

    /** Is told of every request when it is over, by many threads at once. */
    @FunctionalInterface
    public interface AnswerListener {

        /**
         * A request is over.
         *
         * @param route what the configuration calls its route; empty if it had none
         * @param status of the answer, or 499 if the caller left before
         * @param nanos from its head to the end of its answer
         */
        void answered(String route, int status, long nanos);
    }

    /**
     * What a gateway works with.
     *
     * @param arrivals the transport of {@code vertx}
     * @param xRateLimitHeaders whether answers carry {@code X-RateLimit-*}, too
     */
    public record Resources(
            Vertx vertx,
            Arrivals arrivals,
            Evaluator evaluator,
            boolean xRateLimitHeaders,
            AnswerListener answered,
            Clock clock) {}

    /**
     * Listens; returns when requests are answered.
     *
     * @param port 0 takes a free one
     */
    public static OpenGateway open(String host, int port, GatewayConfig config, Resources resources)
            throws StartFailedException, GatewayRefusedException {
        Extensions extensions;
        try {
            extensions = Extensions.load();
        } catch (IllegalArgumentException e) {
            throw new GatewayRefusedException(String.valueOf(e.getMessage()));
        }
        return open(host, port, config, resources, extensions);
    }

    /** The same on a free port, and without what users have added: for requests that are nobody's. */
    public static OpenGateway openBare(String host, GatewayConfig config, Resources resources)
            throws StartFailedException, GatewayRefusedException {
        return open(host, 0, config, resources, Extensions.NONE);
    }

    private static OpenGateway open(
            String host, int port, GatewayConfig config, Resources resources, Extensions extensions)
            throws StartFailedException, GatewayRefusedException {
        GatewayStates states;
        try {
            states = new GatewayStates(resources.vertx, resources.clock, config);
        } catch (AuthUnreadableException e) {
            throw new GatewayRefusedException(String.valueOf(e.getMessage()));
        }
        try {
            Gateway gateway = new Gateway(
                    states::now,
                    resources.evaluator,
                    extensions,
                    resources.xRateLimitHeaders,
                    (route, status, nanos) ->
                            resources.answered.answered(route.map(Route::name).orElse(""), status, nanos),
                    resources.clock,
                    resources.vertx);
            GatewayDoor door = new GatewayDoor(resources.vertx, resources.arrivals, resources.clock);
            GatewaySettings settings = config.settings();
            door.open(
                    host,
                    new GatewaySettings(
                            port,
                            settings.tls(),
                            settings.largestHeadBytes(),
                            settings.keepAlive(),
                            settings.connectTimeout(),
                            settings.drain()),
                    gateway::handle);
            return new OpenGateway(states, door, settings.tls().isPresent());
        } catch (StartFailedException | RuntimeException | Error e) {
            states.close();
            throw e;
        }
    }

    public int port() {
        return door.port();
    }

    /** Whether callers speak TLS. */
    public boolean isTls() {
        return tls;
    }

    /**
     * Goes by another configuration from now on, for requests that come from now on; if it throws, all is as before. Returns what is in
     * force now, in a few words.
     */
    public String take(GatewayConfig config) throws GatewayRefusedException {
        try {
            states.take(config);
        } catch (AuthUnreadableException e) {
            throw new GatewayRefusedException(String.valueOf(e.getMessage()));
        }
        return states.summary();
    }

    /** What is wrong though it serves, in sentences. */
    public List<String> findings() {
        return states.findings();
    }

    /** All servers that requests may be sent to. */
    public List<UpstreamHealth> upstreams() {
        return states.health();
    }

    /** What routes are called. */
    public Set<String> routes() {
        return states.routeNames();
    }

    /** Accepts nothing new, lets what is in flight finish, and asks no server for its health any more. */
    @Override
    public void close() {
        door.close();
        states.close();
    }
}
