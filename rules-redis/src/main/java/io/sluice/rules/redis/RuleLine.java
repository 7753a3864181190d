package io.sluice.rules.redis;

import io.lettuce.core.AbstractRedisClient;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisCommandExecutionException;
import io.lettuce.core.TrackingArgs;
import io.lettuce.core.api.StatefulConnection;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.cluster.RedisClusterClient;
import io.lettuce.core.cluster.api.StatefulRedisClusterConnection;
import io.lettuce.core.cluster.api.async.RedisClusterAsyncCommands;
import io.lettuce.core.codec.ByteArrayCodec;
import io.lettuce.core.codec.RedisCodec;
import io.lettuce.core.codec.StringCodec;
import io.lettuce.core.pubsub.RedisPubSubAdapter;
import io.lettuce.core.pubsub.StatefulRedisPubSubConnection;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A connection to the Redis that holds the rules: for queries, and optionally for notifications. Once broken, it stays broken.
 * Calls block until the answer arrives, so use a thread that may block.
 */
final class RuleLine implements AutoCloseable {

    private static final RedisCodec<String, byte[]> CODEC = RedisCodec.of(StringCodec.UTF8, ByteArrayCodec.INSTANCE);

    private final AbstractRedisClient client;
    private final StatefulConnection<String, byte[]> connection;
    private final RedisClusterAsyncCommands<String, byte[]> commands;
    private final ClaimedWrites writes;
    private final RuleStore store;
    private final Supplier<StatefulRedisPubSubConnection<String, byte[]>> listening;
    private final Function<Runnable, Boolean> tracking;
    private @Nullable StatefulRedisPubSubConnection<String, byte[]> channel;

    private RuleLine(
            AbstractRedisClient client,
            StatefulConnection<String, byte[]> connection,
            RedisClusterAsyncCommands<String, byte[]> commands,
            ClaimedWrites writes,
            Duration patience,
            Supplier<StatefulRedisPubSubConnection<String, byte[]>> listening,
            Function<Runnable, Boolean> tracking) {
        this.client = client;
        this.connection = connection;
        this.commands = commands;
        this.writes = writes;
        this.store = new LettuceStore(commands, writes, patience);
        this.listening = listening;
        this.tracking = tracking;
    }

    static RuleLine toServer(RedisClient client, Duration patience, Claim claim) {
        StatefulRedisConnection<String, byte[]> connection = client.connect(CODEC);
        return new RuleLine(
                client,
                connection,
                connection.async(),
                new ClaimedWrites(connection.async(), patience, claim, false),
                patience,
                () -> client.connectPubSub(CODEC),
                changed -> track(connection, changed));
    }

    /** In a Cluster each node would have to send notifications for its own keys, so they are not used. */
    static RuleLine toCluster(RedisClusterClient client, Duration patience, Claim claim) {
        StatefulRedisClusterConnection<String, byte[]> connection = client.connect(CODEC);
        return new RuleLine(
                client,
                connection,
                connection.async(),
                new ClaimedWrites(connection.async(), patience, claim, true),
                patience,
                () -> client.connectPubSub(CODEC),
                changed -> false);
    }

    RuleStore store() {
        return store;
    }

    /** Returns the writes of a center, for data other than rules. */
    ClaimedWrites writes() {
        return writes;
    }

    /** Returns the commands, for data other than rules. */
    RedisClusterAsyncCommands<String, byte[]> commands() {
        return commands;
    }

    /** Subscribes to messages from now on. */
    void listen(Runnable told) {
        StatefulRedisPubSubConnection<String, byte[]> made = listening.get();
        channel = made;
        made.addListener(new RedisPubSubAdapter<>() {
            @Override
            public void message(String channel, byte[] message) {
                told.run();
            }
        });
        made.sync().subscribe(RuleStore.CHANNEL);
    }

    /**
     * Starts to track keys of rules. Returns whether Redis will send a notification when one of them may have changed, as long as this
     * connection is open.
     */
    boolean track(Runnable changed) {
        return tracking.apply(changed);
    }

    boolean isOpen() {
        StatefulRedisPubSubConnection<String, byte[]> listened = channel;
        return connection.isOpen() && (listened == null || listened.isOpen());
    }

    /** Throws if Redis does not answer on the connection for messages, because messages may have been lost. */
    void check() {
        StatefulRedisPubSubConnection<String, byte[]> listened = channel;
        if (listened != null) {
            listened.sync().ping();
        }
    }

    @Override
    public void close() {
        client.shutdown(0, 1, TimeUnit.SECONDS);
    }

    private static boolean track(StatefulRedisConnection<String, byte[]> connection, Runnable changed) {
        connection.addListener(message -> {
            if (message.getType().equals("invalidate")) {
                changed.run();
            }
        });
        try {
            connection
                    .sync()
                    .clientTracking(TrackingArgs.Builder.enabled().bcast().prefixes("rate_limit_config"));
            return true;
        } catch (RedisCommandExecutionException e) {
            // Not permitted, or not supported by a proxy in between.
            return false;
        }
    }
}
