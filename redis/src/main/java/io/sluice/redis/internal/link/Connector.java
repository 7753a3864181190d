package io.sluice.redis.internal.link;

import io.lettuce.core.ClientOptions;
import io.lettuce.core.ClientOptions.DisconnectedBehavior;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.SocketOptions;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.codec.ByteArrayCodec;
import io.lettuce.core.resource.ClientResources;
import io.lettuce.core.resource.DefaultEventLoopGroupProvider;
import io.lettuce.core.resource.Transports;
import io.netty.channel.EventLoopGroup;
import io.sluice.core.time.Clock;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;

/**
 * Opens connections to Redis servers; one thread reads them all. Lettuce's automatic reconnect is turned off, because it would resend calls
 * that were in flight when a connection broke.
 */
@SuppressWarnings("FutureReturnValueIgnored") // closing happens in the background
public final class Connector implements AutoCloseable {

    /** The maximum time for connecting and the handshake together. A server that takes longer is tried again. */
    public static final Duration CONNECTING_MAY_TAKE = Duration.ofMillis(500);

    private static final Duration HOP = Duration.ofMillis(3);
    private static final Duration KEPT_FROM_RUNNING = Duration.ofMillis(2);
    private static final int HOPS = 3;

    private final EventLoopGroup loop;
    private final ClientResources resources;
    private final RedisClient client;
    private final Clock clock;
    private final Executor afterArrivals = task -> afterArrivals(task, HOPS);
    private final ReadingTime readingTime;

    public Connector(Clock clock) {
        this.clock = clock;
        // One thread reads all connections, so a task submitted to it runs after the data that has already arrived.
        DefaultEventLoopGroupProvider loops = new DefaultEventLoopGroupProvider(1);
        this.loop = loops.allocate(Transports.eventLoopGroupClass());
        this.readingTime = new ReadingTime(clock, this::nextTurn);
        // This thread also runs Lettuce's other work. Otherwise each new connection might start another thread for that
        // work.
        this.resources = ClientResources.builder()
                .eventLoopGroupProvider(loops)
                .eventExecutorGroup(loop)
                .build();
        this.client = RedisClient.create(resources);
        client.setOptions(ClientOptions.builder()
                .autoReconnect(false)
                .disconnectedBehavior(DisconnectedBehavior.REJECT_COMMANDS)
                .socketOptions(SocketOptions.builder()
                        .connectTimeout(CONNECTING_MAY_TAKE)
                        .build())
                .build());
    }

    public CompletionStage<StatefulRedisConnection<byte[], byte[]>> connect(RedisURI uri) {
        try {
            return client.connectAsync(ByteArrayCodec.INSTANCE, uri);
        } catch (RuntimeException e) {
            return CompletableFuture.failedFuture(e);
        }
    }

    /**
     * Returns an executor that runs tasks after all data that has arrived so far was read. Each task waits a little, because the thread
     * runs submitted tasks before it reads again. It waits longer if the thread was delayed in that time, because Redis and its answers
     * were then probably also delayed.
     */
    public Executor afterArrivals() {
        return afterArrivals;
    }

    /** Returns the reading time of this connector. */
    ReadingTime readingTime() {
        return readingTime;
    }

    private void nextTurn(Runnable task) {
        try {
            loop.schedule(task, ReadingTime.TURN.toNanos(), TimeUnit.NANOSECONDS);
        } catch (RejectedExecutionException e) {
            // The thread has ended, so no data is read any more.
        }
    }

    private void afterArrivals(Runnable task, int hops) {
        long due = clock.nanoTime() + HOP.toNanos();
        loop.schedule(
                () -> {
                    if (hops > 1 && clock.nanoTime() - due > KEPT_FROM_RUNNING.toNanos()) {
                        afterArrivals(task, hops - 1);
                    } else {
                        task.run();
                    }
                },
                HOP.toNanos(),
                TimeUnit.NANOSECONDS);
    }

    @Override
    public void close() {
        client.shutdownAsync(0, 1, TimeUnit.SECONDS).whenComplete((done, failure) -> {
            resources.shutdown(0, 1, TimeUnit.SECONDS);
            loop.shutdownGracefully(100, 1_000, TimeUnit.MILLISECONDS);
        });
    }
}
