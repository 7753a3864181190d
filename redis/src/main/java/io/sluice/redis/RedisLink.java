package io.sluice.redis;

import io.lettuce.core.ClientOptions;
import io.lettuce.core.ClientOptions.DisconnectedBehavior;
import io.lettuce.core.RedisChannelHandler;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisConnectionStateListener;
import io.lettuce.core.RedisURI;
import io.lettuce.core.SocketOptions;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.codec.ByteArrayCodec;
import io.lettuce.core.resource.ClientResources;
import io.lettuce.core.resource.DefaultEventLoopGroupProvider;
import io.lettuce.core.resource.Transports;
import io.netty.channel.EventLoopGroup;
import io.sluice.core.time.Clock;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * One connection to Redis, and another when that breaks. Nothing is queued while there is none, and nothing that was under way
 * when one broke is sent again: Lettuce does that to whatever it reconnects by itself, so it may not.
 */
@SuppressWarnings("FutureReturnValueIgnored") // connecting reports through its callback; nobody waits for closing
final class RedisLink implements AutoCloseable {

    private static final System.Logger LOG = System.getLogger(RedisLink.class.getName());
    private static final Duration RETRY_SOONEST = Duration.ofMillis(50);
    private static final Duration RETRY_LATEST = Duration.ofMillis(500);
    private static final Duration HOP = Duration.ofMillis(3);
    private static final Duration KEPT_FROM_RUNNING = Duration.ofMillis(2);
    private static final int HOPS = 3;

    private final RedisURI uri;
    private final EventLoopGroup loop;
    private final ClientResources resources;
    private final RedisClient client;
    private final Clock clock;
    private final CompletableFuture<Void> ready = new CompletableFuture<>();
    private volatile @Nullable StatefulRedisConnection<byte[], byte[]> connection;
    private volatile boolean closed;
    private volatile boolean reported;
    private final Executor afterArrivals = task -> afterArrivals(task, HOPS);

    private RedisLink(RedisURI uri, Clock clock) {
        this.uri = uri;
        this.clock = clock;
        // One thread reads everything, so that a task given to it runs after what has arrived.
        DefaultEventLoopGroupProvider loops = new DefaultEventLoopGroupProvider(1);
        this.loop = loops.allocate(Transports.eventLoopGroupClass());
        this.resources = ClientResources.builder().eventLoopGroupProvider(loops).build();
        this.client = RedisClient.create(resources);
        client.setOptions(ClientOptions.builder()
                .autoReconnect(false)
                .disconnectedBehavior(DisconnectedBehavior.REJECT_COMMANDS)
                .socketOptions(SocketOptions.builder()
                        .connectTimeout(Duration.ofSeconds(1))
                        .build())
                .build());
    }

    static RedisLink open(String uri, Clock clock) {
        if (uri.startsWith("redis-cluster://")) {
            throw new IllegalArgumentException(
                    "redis: \"" + uri + "\" (expected: redis://, rediss:// or redis-sentinel://; Cluster comes later)");
        }
        RedisLink link;
        try {
            link = new RedisLink(RedisURI.create(uri), clock);
        } catch (IllegalArgumentException e) {
            throw new IllegalArgumentException(
                    "redis: \"" + uri + "\" (expected: a URI such as redis://127.0.0.1:6379)", e);
        }
        link.connect();
        return link;
    }

    /** What to send by now; null while there is no connection. */
    @Nullable
    StatefulRedisConnection<byte[], byte[]> connection() {
        StatefulRedisConnection<byte[], byte[]> current = connection;
        return current == null || closed || !current.isOpen() ? null : current;
    }

    /** Uses a connection no longer, because something sent on it was lost. Another one is made as if it had broken by itself. */
    void drop(StatefulRedisConnection<byte[], byte[]> lossy) {
        lossy.closeAsync();
    }

    /**
     * Runs tasks after everything that has arrived so far was read. A little later, because the thread runs what it is given at
     * once before it reads again; and later still if it was kept from running in that time, because then Redis and the
     * answers under way were, too.
     */
    Executor afterArrivals() {
        return afterArrivals;
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

    boolean isReady() {
        return ready.isDone() && connection() != null;
    }

    boolean isClosed() {
        return closed;
    }

    CompletionStage<Void> ready() {
        return ready.copy();
    }

    @Override
    public void close() {
        closed = true;
        StatefulRedisConnection<byte[], byte[]> current = connection;
        if (current != null) {
            current.closeAsync();
        }
        client.shutdownAsync(0, 1, TimeUnit.SECONDS).whenComplete((done, failure) -> {
            resources.shutdown(0, 1, TimeUnit.SECONDS);
            loop.shutdownGracefully(100, 1_000, TimeUnit.MILLISECONDS);
        });
    }

    private void connect() {
        if (closed) {
            return;
        }
        client.connectAsync(ByteArrayCodec.INSTANCE, uri)
                .thenCompose(made -> DecideLibrary.load(made).handle((loaded, failure) -> {
                    if (failure == null) {
                        return made;
                    }
                    made.closeAsync();
                    throw new IllegalStateException(failure);
                }))
                .whenComplete((made, failure) -> {
                    if (failure == null) {
                        connected(made);
                    } else {
                        notConnected(rootMessage(failure));
                    }
                });
    }

    private void connected(StatefulRedisConnection<byte[], byte[]> made) {
        AtomicBoolean lost = new AtomicBoolean();
        made.addListener(new RedisConnectionStateListener() {
            @Override
            public void onRedisDisconnected(RedisChannelHandler<?, ?> connection) {
                if (lost.compareAndSet(false, true)) {
                    lost(made);
                }
            }
        });
        connection = made;
        if (closed) {
            made.closeAsync();
            return;
        }
        LOG.log(Level.INFO, "connected to Redis at {0}", address());
        reported = false;
        ready.complete(null);
        // It may have broken before anybody listened.
        if (!made.isOpen() && lost.compareAndSet(false, true)) {
            lost(made);
        }
    }

    private void lost(StatefulRedisConnection<byte[], byte[]> broken) {
        broken.closeAsync();
        notConnected("the connection broke");
    }

    /** Tries again a little later, spread out, so that the nodes of a fleet do not all come back at once. */
    private void notConnected(String reason) {
        if (closed) {
            return;
        }
        if (!reported) {
            reported = true;
            LOG.log(Level.WARNING, "no Redis at {0}, trying on: {1}", address(), reason);
        }
        long millis = ThreadLocalRandom.current().nextLong(RETRY_SOONEST.toMillis(), RETRY_LATEST.toMillis());
        clock.at(clock.nanoTime() + TimeUnit.MILLISECONDS.toNanos(millis), this::connect);
    }

    private String address() {
        return uri.getSentinels().isEmpty()
                ? uri.getHost() + ":" + uri.getPort()
                : "sentinels of " + uri.getSentinelMasterId();
    }

    private static String rootMessage(Throwable failure) {
        Throwable root = failure;
        while (root.getCause() != null) {
            root = root.getCause();
        }
        return String.valueOf(root.getMessage());
    }
}
