package io.sluice.node.api;

import io.sluice.node.config.NodeConfig;
import io.sluice.node.config.StartFailedException;
import io.sluice.node.transport.Arrivals;
import io.sluice.node.transport.ClientConnections;
import io.sluice.node.transport.Patience;
import io.vertx.core.DeploymentOptions;
import io.vertx.core.Vertx;
import io.vertx.core.VertxOptions;
import io.vertx.core.file.FileSystemOptions;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The port of the decision API and its event loops. Thread-safe. */
public final class ApiDoor {

    private static final Logger LOG = LoggerFactory.getLogger(ApiDoor.class);
    private static final long TICK_MILLIS = 1_000;

    /** The time from the connection to the end of the first request's head. */
    private static final int FIRST_SECONDS = 10;

    private static final int IDLE_SECONDS = 60;

    private static final Duration MAY_TAKE = Duration.ofSeconds(15);

    private final Arrivals arrivals = Arrivals.overBestTransport();
    private final Vertx vertx = Vertx.builder()
            .with(new VertxOptions()
                    .setFileSystemOptions(
                            new FileSystemOptions().setFileCachingEnabled(false).setClassPathResolvingEnabled(false)))
            .withTransport(arrivals)
            .build();
    private final MemoryBudget memory = MemoryBudget.ofHeap();
    private final AtomicInteger port = new AtomicInteger();

    public Vertx vertx() {
        return vertx;
    }

    /** Returns the transport that reports the connections of all servers of {@link #vertx()}. */
    public Arrivals arrivals() {
        return arrivals;
    }

    /** Returns the listening port; 0 before {@code listen}. */
    public int port() {
        return port.get();
    }

    public boolean usesNativeTransport() {
        return vertx.isNativeTransportEnabled();
    }

    /**
     * Starts to listen, and returns when requests are answered.
     *
     * @param handlers creates a handler for each event loop
     */
    public void open(NodeConfig config, Supplier<ApiHandler> handlers) throws StartFailedException {
        vertx.setPeriodic(TICK_MILLIS, timer -> arrivals.tick(FIRST_SECONDS));
        int loops = Math.max(2, Runtime.getRuntime().availableProcessors());
        try {
            Patience.await(
                    vertx.deployVerticle(
                                    () -> new ApiServer(
                                            handlers.get(),
                                            new ClientConnections(arrivals, IDLE_SECONDS),
                                            memory,
                                            config.host(),
                                            config.apiPort(),
                                            port::set),
                                    new DeploymentOptions().setInstances(loops))
                            .toCompletionStage()
                            .toCompletableFuture(),
                    MAY_TAKE);
        } catch (ExecutionException e) {
            throw new StartFailedException(
                    "api port " + config.apiPort() + " on " + config.host() + ": " + why(e.getCause()), List.of());
        } catch (TimeoutException e) {
            throw new StartFailedException(
                    "api port: no answer from the operating system (expected: try again later)", List.of());
        }
    }

    /** Stops accepting connections and returns when all requests in flight have finished. */
    public void close() {
        try {
            Patience.await(vertx.close().toCompletionStage().toCompletableFuture(), MAY_TAKE);
        } catch (ExecutionException | TimeoutException e) {
            LOG.warn("the servers did not stop cleanly", e);
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
        return "cannot listen (expected: an address of this machine and a free port)";
    }
}
