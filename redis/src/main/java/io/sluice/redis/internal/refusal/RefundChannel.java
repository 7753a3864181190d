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
 * Hears on a connection of its own which counts may admit sooner than was said, because something was given back. Redis tells it on
 * channels that are called like the counts; all of a prefix are listened to. Safe for use by many threads.
 *
 * <p>Messages get lost: with the connection, and without a trace when it only seems to be there. So the connection is pinged. What Redis
 * sends comes in order: an answer means that everything was heard that was told before the question. {@link #isHeard} says
 * whether there was one within {@link #SILENCE}.
 *
 * <p>In a Cluster every node tells what any node was told, so it is enough to listen to one of them.
 */
@SuppressWarnings("FutureReturnValueIgnored") // what is sent reports through callbacks; nobody waits for closing
public final class RefundChannel implements AutoCloseable {

    /** For so long nothing may be heard without messages being taken for lost. */
    static final Duration SILENCE = Duration.ofSeconds(1);

    private static final System.Logger LOG = System.getLogger(RefundChannel.class.getName());
    private static final Duration BEAT = Duration.ofMillis(250);
    private static final Duration RETRY_SOONEST = Duration.ofMillis(50);
    private static final Duration RETRY_LATEST = Duration.ofMillis(500);

    /** Who may not listen need not ask twice a second. */
    private static final int FORBIDDEN_RETRY_TIMES = 20;

    private final List<RedisURI> uris;
    private final String pattern;
    private final Clock clock;
    private final Consumer<String> eased;
    private final Runnable subscribed;
    private final EventLoopGroupProvider loops = new DefaultEventLoopGroupProvider(1);
    private final ClientResources resources;
    private final RedisClient client;

    /** The connection that is listened on, and how far it was heard; null while there is none. */
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
     * Subscribes in the background, and again whenever that is lost.
     *
     * @param uri as {@link io.sluice.redis.RedisStore#at} reads it; {@code redis-cluster://} with its seeds, too
     * @param eased hears the names of the counts
     * @param subscribed is told before anything is heard that messages may have been lost until now
     */
    public static RefundChannel open(
            String uri, String prefix, Clock clock, Consumer<String> eased, Runnable subscribed) {
        RefundChannel channel = new RefundChannel(uris(uri), prefix, clock, eased, subscribed);
        channel.connect();
        return channel;
    }

    /** Whether everything was heard that was told until {@link #SILENCE} ago. */
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

    /** Tries again a little later, spread out, so that the nodes of a fleet do not all come back at once. */
    private void notSubscribed(Throwable failure) {
        if (closed) {
            return;
        }
        Throwable root = failure;
        while (root.getCause() != null) {
            root = root.getCause();
        }
        if (!reported) {
            reported = true;
            LOG.log(
                    Level.WARNING,
                    "refusals are remembered for {0} ms only, because Redis does not tell what is given back: {1}",
                    DenyCache.UNTOLD.toMillis(),
                    root.getMessage());
        }
        long millis = ThreadLocalRandom.current().nextLong(RETRY_SOONEST.toMillis(), RETRY_LATEST.toMillis())
                * (root instanceof RedisCommandExecutionException ? FORBIDDEN_RETRY_TIMES : 1);
        clock.at(clock.nanoTime() + TimeUnit.MILLISECONDS.toNanos(millis), this::connect);
    }

    private static List<RedisURI> uris(String uri) {
        return ClusterAddress.matches(uri) ? ClusterAddress.of(uri).seeds() : List.of(RedisAddress.of(uri));
    }

    /** A pattern that matches this text alone. */
    private static String literally(String text) {
        return text.replaceAll("([\\\\*?\\[\\]])", "\\\\$1");
    }

    private static final class Line {

        final StatefulRedisPubSubConnection<String, String> connection;
        final AtomicBoolean lost = new AtomicBoolean();

        /** When the last ping was sent that was answered. */
        volatile long heardNanos;

        Line(StatefulRedisPubSubConnection<String, String> connection, long heardNanos) {
            this.connection = connection;
            this.heardNanos = heardNanos;
        }
    }
}
