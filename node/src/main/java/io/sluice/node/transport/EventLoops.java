package io.sluice.node.transport;

import io.vertx.core.Vertx;
import io.vertx.core.VertxOptions;
import io.vertx.core.file.FileSystemOptions;
import java.time.Duration;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeoutException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The event loops that the doors of a node share, and the transport that reports their connections. Thread-safe. */
public final class EventLoops implements AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(EventLoops.class);
    private static final long TICK_MILLIS = 1_000;

    /** The maximum time from the connection to the end of the first request's head. */
    private static final int FIRST_SECONDS = 10;

    private static final Duration MAY_TAKE = Duration.ofSeconds(15);

    private final Arrivals arrivals = Arrivals.overBestTransport();
    private final Vertx vertx = Vertx.builder()
            .with(new VertxOptions()
                    .setFileSystemOptions(
                            new FileSystemOptions().setFileCachingEnabled(false).setClassPathResolvingEnabled(false)))
            .withTransport(arrivals)
            .build();

    public EventLoops() {
        vertx.setPeriodic(TICK_MILLIS, timer -> arrivals.tick(FIRST_SECONDS));
    }

    public Vertx vertx() {
        return vertx;
    }

    /** Returns the transport that reports the connections of all servers of {@link #vertx()}. */
    public Arrivals arrivals() {
        return arrivals;
    }

    /** Returns whether the transport is that of the operating system. */
    public boolean isNative() {
        return vertx.isNativeTransportEnabled();
    }

    @Override
    public void close() {
        try {
            Patience.await(vertx.close().toCompletionStage().toCompletableFuture(), MAY_TAKE);
        } catch (ExecutionException | TimeoutException e) {
            LOG.warn("the servers did not stop cleanly", e);
        }
    }
}
