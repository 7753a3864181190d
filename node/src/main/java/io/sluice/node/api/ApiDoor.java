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

/** The port of the decision API and the event loops behind it. Safe for use by many threads. */
public final class ApiDoor {

    private static final Logger LOG = LoggerFactory.getLogger(ApiDoor.class);
    private static final long TICK_MILLIS = 1_000;

    /** From the connection to the end of the first request's head. */
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

    /** What every server of {@link #vertx()} tells of its connections. */
    public Arrivals arrivals() {
        return arrivals;
    }

    /** The port that is listened on; 0 before. */
    public int port() {
        return port.get();
    }

    public boolean usesNativeTransport() {
        return vertx.isNativeTransportEnabled();
    }

    /**
     * Listens; returns when requests are answered.
     *
     * @param handlers gives each event loop a handler of its own
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
            throw new StartFailedException("api port: no answer from the system (expected: try again)", List.of());
        }
    }

    /** Accepts nothing new and returns when what was in flight has finished. */
    public void close() {
        try {
            Patience.await(vertx.close().toCompletionStage().toCompletableFuture(), MAY_TAKE);
        } catch (ExecutionException | TimeoutException e) {
            LOG.warn("the servers did not stop cleanly", e);
        }
    }

    /** The native transport has an exception of its own, so the system's words have to do. */
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
