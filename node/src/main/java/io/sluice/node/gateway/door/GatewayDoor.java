package io.sluice.node.gateway.door;

import io.sluice.core.time.Clock;
import io.sluice.node.access.Certificates;
import io.sluice.node.config.StartFailedException;
import io.sluice.node.gateway.config.GatewaySettings;
import io.sluice.node.transport.Arrivals;
import io.sluice.node.transport.OpenConnections;
import io.sluice.node.transport.Patience;
import io.vertx.core.DeploymentOptions;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpServer;
import io.vertx.core.net.ServerSSLOptions;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The gateway's port and the event loops behind it. Opened once and closed once. */
public final class GatewayDoor {

    private static final Logger LOG = LoggerFactory.getLogger(GatewayDoor.class);
    private static final Duration MAY_TAKE = Duration.ofSeconds(15);

    /**
     * Vert.x gives the same free port to all servers that request the same negative port. So each gateway requests a separate negative
     * number, and not the first one, which belongs to the decision API.
     */
    private static final AtomicInteger NEXT_FREE_PORT = new AtomicInteger(-2);

    private final Vertx vertx;
    private final Arrivals arrivals;
    private final Clock clock;
    private final List<HttpServer> servers = new CopyOnWriteArrayList<>();
    private final List<GatewayServer> loops = new CopyOnWriteArrayList<>();
    private String host = "";
    private Duration drain = Duration.ZERO;
    private volatile @Nullable OpenConnections connections;
    private @Nullable String deployment;
    private @Nullable Certificates certificates;

    /** @param arrivals the transport of {@code vertx} */
    public GatewayDoor(Vertx vertx, Arrivals arrivals, Clock clock) {
        this.vertx = vertx;
        this.arrivals = arrivals;
        this.clock = clock;
    }

    /** Listens on the port. Returns when requests are answered. */
    public void open(String host, GatewaySettings settings, RequestEntry entry) throws StartFailedException {
        Optional<Certificates> files = Certificates.open("gateway tls", settings.tls());
        Optional<ServerSSLOptions> tls = files.map(Certificates::atStart);
        int instances = Math.max(2, Runtime.getRuntime().availableProcessors());
        int port = settings.port() == 0 ? NEXT_FREE_PORT.getAndDecrement() : settings.port();
        drain = settings.drain();
        this.host = host;
        CompletableFuture<String> deployed = vertx.deployVerticle(
                        () -> {
                            GatewayServer loop =
                                    new GatewayServer(host, port, settings, entry, arrivals, tls, servers::add);
                            loops.add(loop);
                            return loop;
                        },
                        new DeploymentOptions().setInstances(instances))
                .toCompletionStage()
                .toCompletableFuture();
        try {
            Patience.await(deployed, MAY_TAKE);
        } catch (ExecutionException e) {
            throw new StartFailedException(
                    "gateway port " + settings.port() + " on " + host + ": " + why(e.getCause()), List.of());
        } catch (TimeoutException e) {
            throw new StartFailedException(
                    "gateway port: no answer from the system (expected: try again later)", List.of());
        }
        deployment = deployed.join();
        connections = arrivals.limit(host, port(), settings.connections());
        files.ifPresent(each -> each.follow(servers, clock));
        certificates = files.orElse(null);
    }

    /** Returns the port, or 0 before it is open. */
    public int port() {
        return servers.isEmpty() ? 0 : servers.get(0).actualPort();
    }

    /** Returns the number of connections that were closed immediately because too many were open. */
    public long refusedConnections() {
        OpenConnections open = connections;
        return open == null ? 0 : open.refused();
    }

    /** Asks callers to use other connections from now on. Requests that arrive are still answered. */
    public void leave() {
        Future<?> unused = leaving();
    }

    private Future<?> leaving() {
        return Future.join(loops.stream().map(GatewayServer::leave).toList());
    }

    /** All later answers ask their callers to use another connection. */
    private void awaitLeaving() {
        try {
            Patience.await(leaving().toCompletionStage().toCompletableFuture(), MAY_TAKE);
        } catch (ExecutionException | TimeoutException e) {
            LOG.debug("an event loop of the gateway is busy", e);
        }
    }

    /** Stops accepting requests. Returns when the requests in flight have finished or their time limit has passed. */
    public void close() {
        if (certificates != null) {
            certificates.close();
        }
        @Nullable String opened = deployment;
        deployment = null;
        if (opened == null) {
            return;
        }
        awaitLeaving();
        arrivals.stopListening(host, port(), drain);
        try {
            Patience.await(vertx.undeploy(opened).toCompletionStage().toCompletableFuture(), drain.plus(MAY_TAKE));
        } catch (ExecutionException | TimeoutException e) {
            LOG.warn("the gateway did not stop cleanly; open connections may have been cut off", e);
        }
    }

    /** Reads the system's message, because the native transport has its own exception type. */
    private static String why(@Nullable Throwable failure) {
        String words = String.valueOf(failure == null ? null : failure.getMessage());
        if (words.contains("already in use")) {
            return "in use (expected: a free port; choose another with --gateway-port, 0 takes any)";
        }
        if (words.contains("ermission denied")) {
            return "not permitted (expected: a port above 1023; choose another with --gateway-port)";
        }
        if (words.contains("ertificate") || words.contains("PEM") || words.contains("rivate key")) {
            return "its certificate or key cannot be used (expected: PEM files, with an unencrypted key)";
        }
        return "cannot listen (expected: an address of this machine and a free port)";
    }
}
