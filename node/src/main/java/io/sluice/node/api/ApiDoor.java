package io.sluice.node.api;

import io.sluice.core.time.Clock;
import io.sluice.node.access.Certificates;
import io.sluice.node.config.DoorSettings;
import io.sluice.node.config.NodeConfig;
import io.sluice.node.config.StartFailedException;
import io.sluice.node.transport.Arrivals;
import io.sluice.node.transport.ClientConnections;
import io.sluice.node.transport.EventLoops;
import io.sluice.node.transport.OpenConnections;
import io.sluice.node.transport.Patience;
import io.vertx.core.DeploymentOptions;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpServer;
import io.vertx.core.net.ServerSSLOptions;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The port of the decision API. Thread-safe. */
public final class ApiDoor {

    private static final Logger LOG = LoggerFactory.getLogger(ApiDoor.class);
    private static final int IDLE_SECONDS = 60;

    /** The number of the free port for the warm-up. The gateways of the same Vert.x use small negative numbers. */
    private static final int PRACTICE_PORT = Integer.MIN_VALUE;

    private static final Duration MAY_TAKE = Duration.ofSeconds(15);

    private final Vertx vertx;
    private final Arrivals arrivals;
    private final MemoryBudget memory = MemoryBudget.ofHeap();
    private final List<HttpServer> listening = new CopyOnWriteArrayList<>();
    private final List<ApiServer> servers = new CopyOnWriteArrayList<>();
    private volatile @Nullable OpenConnections connections;
    private volatile @Nullable Certificates certificates;
    private volatile @Nullable String deployment;
    private volatile String host = "";

    public ApiDoor(EventLoops loops) {
        this.vertx = loops.vertx();
        this.arrivals = loops.arrivals();
    }

    /** Returns the listening port; 0 before {@code listen}. */
    public int port() {
        return listening.isEmpty() ? 0 : listening.get(0).actualPort();
    }

    /** Returns the number of connections that were closed immediately because too many were open. */
    public long refusedConnections() {
        OpenConnections open = connections;
        return open == null ? 0 : open.refused();
    }

    /**
     * Starts to listen, and returns when requests are answered.
     *
     * @param handlers creates a handler for each event loop
     */
    public void open(DoorSettings settings, Supplier<ApiHandler> handlers, Clock clock) throws StartFailedException {
        Optional<Certificates> files =
                Certificates.open("api.tls", settings.access().tls());
        Optional<ServerSSLOptions> tls = files.map(Certificates::atStart);
        int loops = Math.max(2, Runtime.getRuntime().availableProcessors());
        try {
            deployment = deploy(
                    () -> {
                        ApiServer server =
                                server(handlers.get(), settings.host(), settings.port(), tls, listening::add);
                        servers.add(server);
                        return server;
                    },
                    loops);
            host = settings.host();
            connections = arrivals.limit(host, port(), OpenConnections.USUAL_MOST);
        } catch (ExecutionException e) {
            throw new StartFailedException(
                    "api port " + settings.port() + " on " + settings.host() + ": " + why(e.getCause()), List.of());
        } catch (TimeoutException e) {
            throw new StartFailedException(
                    "api port: no answer from the operating system (expected: try again later)", List.of());
        }
        files.ifPresent(each -> each.follow(listening, clock));
        certificates = files.orElse(null);
    }

    /**
     * Opens another port on the loopback address, in plain text, until {@code requests} returns. The warm-up uses it when it cannot use
     * the real port, because it has no certificate and no token.
     */
    public void practise(Supplier<ApiHandler> handlers, Practice requests) throws Exception {
        List<HttpServer> practice = new CopyOnWriteArrayList<>();
        String deployed = deploy(
                () -> server(handlers.get(), NodeConfig.LOOPBACK, PRACTICE_PORT, Optional.empty(), practice::add), 1);
        try {
            requests.send(new InetSocketAddress(
                    InetAddress.getLoopbackAddress(), practice.get(0).actualPort()));
        } finally {
            Patience.await(vertx.undeploy(deployed).toCompletionStage().toCompletableFuture(), MAY_TAKE);
        }
    }

    /** Sends requests to the address of a server. */
    @FunctionalInterface
    public interface Practice {
        void send(InetSocketAddress address) throws Exception;
    }

    private ApiServer server(
            ApiHandler handler, String host, int port, Optional<ServerSSLOptions> tls, Consumer<HttpServer> listening) {
        return new ApiServer(
                handler, new ClientConnections(arrivals, IDLE_SECONDS), memory, host, port, tls, listening);
    }

    private String deploy(Supplier<ApiServer> server, int instances) throws ExecutionException, TimeoutException {
        CompletableFuture<String> deployed = vertx.deployVerticle(
                        server, new DeploymentOptions().setInstances(instances))
                .toCompletionStage()
                .toCompletableFuture();
        Patience.await(deployed, MAY_TAKE);
        return deployed.join();
    }

    /** Asks callers to use other connections from now on. Requests that arrive are still answered. */
    public void leave() {
        servers.forEach(ApiServer::leave);
    }

    /** Stops accepting connections and returns when all requests in flight have finished. */
    public void close() {
        Certificates watched = certificates;
        if (watched != null) {
            watched.close();
        }
        String opened = deployment;
        deployment = null;
        if (opened == null) {
            return;
        }
        if (!host.isEmpty()) {
            arrivals.stopListening(host, port(), ApiServer.IN_FLIGHT);
        }
        try {
            Patience.await(vertx.undeploy(opened).toCompletionStage().toCompletableFuture(), MAY_TAKE);
        } catch (ExecutionException | TimeoutException e) {
            LOG.warn("the decision API did not stop cleanly", e);
        }
    }

    /** The native transport throws its own exception, so the cause is read from the message. */
    private static String why(@Nullable Throwable failure) {
        String words = String.valueOf(failure == null ? null : failure.getMessage());
        if (words.contains("already in use")) {
            return "in use (expected: a free port; choose another with --api-port, 0 takes any)";
        }
        if (words.contains("ermission denied")) {
            return "not permitted (expected: a port above 1023; choose another with --api-port)";
        }
        if (failure instanceof RuntimeException) { // a socket fails with an IOException
            return "its certificate or key cannot be used (expected: PEM files, with an unencrypted key)";
        }
        return "cannot listen (expected: an address of this machine and a free port)";
    }
}
