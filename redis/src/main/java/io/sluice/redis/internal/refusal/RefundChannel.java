package io.sluice.redis.internal.refusal;

import io.lettuce.core.ClientOptions;
import io.lettuce.core.ClientOptions.DisconnectedBehavior;
import io.lettuce.core.RedisChannelHandler;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisCommandExecutionException;
import io.lettuce.core.RedisConnectionStateListener;
import io.lettuce.core.RedisURI;
import io.lettuce.core.SocketOptions;
import io.lettuce.core.codec.StringCodec;
import io.lettuce.core.pubsub.RedisPubSubAdapter;
import io.lettuce.core.pubsub.StatefulRedisPubSubConnection;
import io.lettuce.core.resource.ClientResources;
import io.lettuce.core.resource.DefaultEventLoopGroupProvider;
import io.lettuce.core.resource.EventLoopGroupProvider;
import io.sluice.core.spi.RootCause;
import io.sluice.core.time.Clock;
import io.sluice.redis.internal.cluster.ClusterAddress;
import io.sluice.redis.internal.link.Connector;
import io.sluice.redis.internal.link.RedisAddress;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Receives, on a connection of its own, the names of counts that may admit sooner than announced in their refusals, because permits were
 * returned. Redis announces them on channels named like the counts, and this class subscribes to all channels of a prefix. Thread-safe.
 *
 * <p>Messages can get lost: with the connection, or unnoticed when the connection only seems to be open. So the connection is pinged. Redis
 * sends in order, so an answer to a ping means that all announcements before the ping have been received. {@link #isHeard} returns whether
 * there was such an answer within {@link #SILENCE}.
 *
 * <p>In a Cluster, every node forwards the announcements of all nodes, so one subscription is enough.
 */
@SuppressWarnings("FutureReturnValueIgnored") // results arrive through callbacks; closing happens in the background
public final class RefundChannel implements AutoCloseable {

    /** Messages count as lost once no ping was answered for this long. */
    static final Duration SILENCE = Duration.ofSeconds(1);

    private static final System.Logger LOG = System.getLogger(RefundChannel.class.getName());
    private static final Duration BEAT = Duration.ofMillis(250);
    private static final Duration RETRY_SOONEST = Duration.ofMillis(50);
    private static final Duration RETRY_LATEST = Duration.ofMillis(500);

    /** If Redis forbids the subscription, retries are slower by this factor. */
    private static final int FORBIDDEN_RETRY_TIMES = 20;

    private final List<RedisURI> uris;
    private final String pattern;
    private final Clock clock;
    private final Consumer<String> eased;
    private final Runnable subscribed;
    private final EventLoopGroupProvider loops = new DefaultEventLoopGroupProvider(1);
    private final ClientResources resources;
    private final RedisClient client;

    /** The subscribed connection and the time of its last answer; null while there is none. */
    private volatile @Nullable Line line;

    private volatile boolean closed;
    private volatile boolean reported;
    private final AtomicInteger attempts = new AtomicInteger();

    private RefundChannel(
            List<RedisURI> uris, String prefix, Clock clock, Consumer<String> eased, Runnable subscribed) {
        this.uris = uris;
        this.pattern = literally(prefix) + ":*";
        this.clock = clock;
        this.eased = eased;
        this.subscribed = subscribed;
        this.resources = ClientResources.builder()
                .eventLoopGroupProvider(loops)
                .computationThreadPoolSize(2)
                .build();
        this.client = RedisClient.create(resources);
        client.setOptions(ClientOptions.builder()
                .autoReconnect(false)
                .disconnectedBehavior(DisconnectedBehavior.REJECT_COMMANDS)
                .socketOptions(SocketOptions.builder()
                        .connectTimeout(Connector.CONNECTING_MAY_TAKE)
                        .build())
                .build());
    }

    /**
     * Subscribes in the background, and again whenever the subscription is lost.
     *
     * @param uri the address as {@link io.sluice.redis.RedisStore#at} reads it, including {@code redis-cluster://} with its seeds
     * @param eased the receiver of the names of the counts
     * @param subscribed the action to run after each subscription, before any message arrives, because messages may have been lost until
     *     then
     */
    public static RefundChannel open(
            String uri, String prefix, Clock clock, Consumer<String> eased, Runnable subscribed) {
        RefundChannel channel = new RefundChannel(uris(uri), prefix, clock, eased, subscribed);
        channel.connect();
        return channel;
    }

    /** Returns whether all announcements until {@link #SILENCE} ago have been received. */
    public boolean isHeard() {
        Line current = line;
        return current != null && clock.nanoTime() - current.heardNanos < SILENCE.toNanos();
    }

    @Override
    public void close() {
        closed = true;
        Line current = line;
        line = null;
        if (current != null) {
            current.connection.closeAsync();
        }
        client.shutdownAsync(0, 1, TimeUnit.SECONDS)
                .whenComplete((done, failure) -> resources.shutdown(0, 1, TimeUnit.SECONDS))
                .whenComplete((done, failure) -> loops.shutdown(0, 1, TimeUnit.SECONDS));
    }

    private void connect() {
        if (closed) {
            return;
        }
        RedisURI uri = uris.get(Math.floorMod(attempts.getAndIncrement(), uris.size()));
        connection(uri).whenComplete((made, failure) -> {
            if (failure == null) {
                subscribe(made);
            } else {
                notSubscribed(failure);
            }
        });
    }

    private CompletionStage<StatefulRedisPubSubConnection<String, String>> connection(RedisURI uri) {
        try {
            return client.connectPubSubAsync(StringCodec.UTF8, uri);
        } catch (RuntimeException e) {
            return CompletableFuture.failedFuture(e);
        }
    }

    private void subscribe(StatefulRedisPubSubConnection<String, String> made) {
        Line next = new Line(made, clock.nanoTime());
        made.addListener(new RedisPubSubAdapter<>() {
            @Override
            public void message(String pattern, String channel, String message) {
                eased.accept(channel);
            }
        });
        made.addListener(new RedisConnectionStateListener() {
            @Override
            public void onRedisDisconnected(RedisChannelHandler<?, ?> connection) {
                lost(next, new IllegalStateException("the connection broke"));
            }
        });
        made.async().psubscribe(pattern).whenComplete((done, failure) -> {
            if (failure == null) {
                listen(next);
            } else {
                lost(next, failure);
            }
        });
        clock.at(clock.nanoTime() + SILENCE.toNanos(), () -> {
            if (line != next) {
                lost(next, new IllegalStateException("no answer"));
            }
        });
    }

    private void listen(Line next) {
        subscribed.run();
        line = next;
        reported = false;
        if (closed || next.lost.get() || !next.connection.isOpen()) {
            lost(next, new IllegalStateException("the connection broke"));
        } else {
            beat(next);
        }
    }

    private void beat(Line current) {
        if (line != current) {
            return;
        }
        long sentNanos = clock.nanoTime();
        if (sentNanos - current.heardNanos >= SILENCE.toNanos()) {
            lost(current, new IllegalStateException("no answer"));
            return;
        }
        try {
            current.connection.async().ping().thenRun(() -> current.heardNanos = sentNanos);
        } catch (RuntimeException e) {
            lost(current, e);
            return;
        }
        clock.at(sentNanos + BEAT.toNanos(), () -> beat(current));
    }

    private void lost(Line broken, Throwable failure) {
        if (broken.lost.compareAndSet(false, true)) {
            if (line == broken) {
                line = null;
            }
            broken.connection.closeAsync();
            notSubscribed(failure);
        } else if (line == broken) {
            line = null;
        }
    }

    /** Tries again a little later, at a random time, so that the nodes of a fleet do not all reconnect at the same moment. */
    private void notSubscribed(Throwable failure) {
        if (closed) {
            return;
        }
        Throwable root = RootCause.of(failure);
        if (!reported) {
            reported = true;
            LOG.log(
                    Level.WARNING,
                    "refusals are cached for only {0} ms, because Redis does not announce returned permits: {1}",
                    DenyCache.UNTOLD.toMillis(),
                    RootCause.words(root));
        }
        long millis = ThreadLocalRandom.current().nextLong(RETRY_SOONEST.toMillis(), RETRY_LATEST.toMillis())
                * (root instanceof RedisCommandExecutionException ? FORBIDDEN_RETRY_TIMES : 1);
        clock.at(clock.nanoTime() + TimeUnit.MILLISECONDS.toNanos(millis), this::connect);
    }

    private static List<RedisURI> uris(String uri) {
        return ClusterAddress.matches(uri) ? ClusterAddress.of(uri).seeds() : List.of(RedisAddress.of(uri));
    }

    /** Escapes a text so that the pattern matches it literally. */
    private static String literally(String text) {
        return text.replaceAll("([\\\\*?\\[\\]])", "\\\\$1");
    }

    private static final class Line {

        final StatefulRedisPubSubConnection<String, String> connection;
        final AtomicBoolean lost = new AtomicBoolean();

        /** The time at which the last answered ping was sent. */
        volatile long heardNanos;

        Line(StatefulRedisPubSubConnection<String, String> connection, long heardNanos) {
            this.connection = connection;
            this.heardNanos = heardNanos;
        }
    }
}
