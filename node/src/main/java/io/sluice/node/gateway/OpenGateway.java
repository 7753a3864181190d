package io.sluice.node.gateway;

import io.sluice.core.time.Clock;
import io.sluice.node.config.StartFailedException;
import io.sluice.node.gateway.auth.AuthUnreadableException;
import io.sluice.node.gateway.chain.Extensions;
import io.sluice.node.gateway.chain.Gateway;
import io.sluice.node.gateway.chain.GatewayListener;
import io.sluice.node.gateway.config.GatewayConfig;
import io.sluice.node.gateway.config.GatewayRefusedException;
import io.sluice.node.gateway.config.GatewaySettings;
import io.sluice.node.gateway.door.GatewayDoor;
import io.sluice.node.gateway.route.Route;
import io.sluice.node.gateway.upstream.UpstreamHealth;
import io.sluice.node.trace.Tracing;
import io.sluice.node.transport.EventLoops;
import io.sluice.rules.evaluate.Evaluator;
import io.sluice.rules.evaluate.Ruling;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.slf4j.event.Level;

/** A listening gateway. It forwards requests by its latest configuration. Thread-safe. */
public final class OpenGateway implements AutoCloseable {

    private final GatewayStates states;
    private final GatewayDoor door;
    private final boolean tls;

    private OpenGateway(GatewayStates states, GatewayDoor door, boolean tls) {
        this.states = states;
        this.door = door;
        this.tls = tls;
    }

    /** Receives every request that has ended, from many threads at the same time. */
    @FunctionalInterface
    public interface AnswerListener {

        /**
         * Called when a request has ended.
         *
         * @param route the name of its route in the configuration; empty if no route matched
         * @param status the status of the answer, or 499 if the caller left before it
         * @param nanos the time from its head to the end of its answer
         */
        void answered(String route, int status, long nanos);

        /**
         * Called when an upstream has answered, or when it is clear that it will not.
         *
         * @param ruling the ruling that let the request pass; null if no rule had to be asked
         * @param status the status of the upstream's answer; 0 if there is none
         * @param nanos the time from sending the request to the upstream; 0 if it was not sent
         */
        default void heard(Ruling.@Nullable Settled ruling, int status, long nanos) {}
    }

    /**
     * The resources of a gateway.
     *
     * @param xRateLimitHeaders whether answers also carry {@code X-RateLimit-*}
     */
    public record Resources(
            EventLoops loops,
            Evaluator evaluator,
            boolean xRateLimitHeaders,
            AnswerListener answered,
            Tracing tracing,
            Clock clock) {

        /** Creates the resources of a gateway that records no traces. */
        public Resources(
                EventLoops loops,
                Evaluator evaluator,
                boolean xRateLimitHeaders,
                AnswerListener answered,
                Clock clock) {
            this(loops, evaluator, xRateLimitHeaders, answered, Tracing.UNRECORDED, clock);
        }
    }

    /**
     * Starts to listen, and returns when requests are answered.
     *
     * @param port the port; 0 takes a free port
     */
    public static OpenGateway open(String host, int port, GatewayConfig config, Resources resources)
            throws StartFailedException, GatewayRefusedException {
        Extensions extensions;
        try {
            extensions = Extensions.load();
        } catch (IllegalArgumentException e) {
            throw new GatewayRefusedException(String.valueOf(e.getMessage()));
        }
        return open(host, port, config, resources, extensions, Level.ERROR);
    }

    /**
     * Opens a gateway on a free port and without the users' handlers, for requests of the warm-up. Its failures do not concern users, so
     * they are logged only at debug level.
     */
    public static OpenGateway openBare(String host, GatewayConfig config, Resources resources)
            throws StartFailedException, GatewayRefusedException {
        return open(host, 0, config, resources, Extensions.NONE, Level.DEBUG);
    }

    private static OpenGateway open(
            String host, int port, GatewayConfig config, Resources resources, Extensions extensions, Level failuresAt)
            throws StartFailedException, GatewayRefusedException {
        GatewayStates states;
        try {
            states = new GatewayStates(resources.loops.vertx(), resources.clock, config);
        } catch (AuthUnreadableException e) {
            throw new GatewayRefusedException(String.valueOf(e.getMessage()));
        }
        try {
            Gateway gateway = new Gateway(
                    states::now,
                    resources.evaluator,
                    extensions,
                    resources.xRateLimitHeaders,
                    listener(resources.answered),
                    resources.tracing,
                    failuresAt,
                    resources.clock,
                    resources.loops.vertx());
            GatewayDoor door = new GatewayDoor(resources.loops.vertx(), resources.loops.arrivals(), resources.clock);
            GatewaySettings settings = config.settings();
            door.open(host, settings.withPort(port), gateway::handle);
            return new OpenGateway(states, door, settings.tls().isPresent());
        } catch (StartFailedException | RuntimeException | Error e) {
            states.close();
            throw e;
        }
    }

    private static GatewayListener listener(AnswerListener told) {
        return new GatewayListener() {
            @Override
            public void answered(Optional<Route> route, int status, long nanos) {
                told.answered(route.map(Route::name).orElse(""), status, nanos);
            }

            @Override
            public void heard(Ruling.@Nullable Settled ruling, int status, long nanos) {
                told.heard(ruling, status, nanos);
            }
        };
    }

    public int port() {
        return door.port();
    }

    /** Returns whether callers use TLS. */
    public boolean isTls() {
        return tls;
    }

    /**
     * Switches to another configuration for all new requests. If it throws, the previous one stays in force. Returns a short description
     * of the configuration in force.
     */
    public String take(GatewayConfig config) throws GatewayRefusedException {
        try {
            states.take(config);
        } catch (AuthUnreadableException e) {
            throw new GatewayRefusedException(String.valueOf(e.getMessage()));
        }
        return states.summary();
    }

    /** Returns the number of connections that were closed immediately because too many were open. */
    public long refusedConnections() {
        return door.refusedConnections();
    }

    /** Returns problems that do not stop the gateway, as sentences. */
    public List<String> findings() {
        return states.findings();
    }

    /** Returns all upstream servers. */
    public List<UpstreamHealth> upstreams() {
        return states.health();
    }

    /** Returns the names of the routes. */
    public Set<String> routes() {
        return states.routeNames();
    }

    /** Asks callers to use other connections from now on. Requests that arrive are still answered. */
    public void leave() {
        door.leave();
    }

    /** Stops accepting connections, lets requests in flight finish, and stops the health checks. */
    @Override
    public void close() {
        door.close();
        states.close();
    }
}
