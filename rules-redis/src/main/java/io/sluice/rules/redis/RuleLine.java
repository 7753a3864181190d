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
 * A connection to where rules are: what is asked, and on request what Redis tells by itself. Once broken it stays so. Calls wait for
 * answers, so they are for a thread that may wait.
 */
final class RuleLine implements AutoCloseable {

    private static final RedisCodec<String, byte[]> CODEC = RedisCodec.of(StringCodec.UTF8, ByteArrayCodec.INSTANCE);

    private final AbstractRedisClient client;
    private final StatefulConnection<String, byte[]> connection;
    private final RuleStore store;
    private final Supplier<StatefulRedisPubSubConnection<String, byte[]>> listening;
    private final Function<Runnable, Boolean> tracking;
    private @Nullable StatefulRedisPubSubConnection<String, byte[]> channel;

    private RuleLine(
            AbstractRedisClient client,
            StatefulConnection<String, byte[]> connection,
            RedisClusterAsyncCommands<String, byte[]> commands,
            Duration patience,
            Supplier<StatefulRedisPubSubConnection<String, byte[]>> listening,
            Function<Runnable, Boolean> tracking) {
        this.client = client;
        this.connection = connection;
        this.store = new LettuceStore(commands, patience);
        this.listening = listening;
        this.tracking = tracking;
    }

    static RuleLine toServer(RedisClient client, Duration patience) {
        StatefulRedisConnection<String, byte[]> connection = client.connect(CODEC);
        return new RuleLine(
                client,
                connection,
                connection.async(),
                patience,
                () -> client.connectPubSub(CODEC),
                changed -> track(connection, changed));
    }

    /** In a Cluster each node would have to tell of its own keys; so none does. */
    static RuleLine toCluster(RedisClusterClient client, Duration patience) {
        StatefulRedisClusterConnection<String, byte[]> connection = client.connect(CODEC);
        return new RuleLine(
                client, connection, connection.async(), patience, () -> client.connectPubSub(CODEC), changed -> false);
    }

    RuleStore store() {
        return store;
    }

    /** Hears messages from now on. */
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

    /** Whether Redis tells from now on that a key of rules may have changed, as long as this line is open. */
    boolean track(Runnable changed) {
        return tracking.apply(changed);
    }

    boolean isOpen() {
        StatefulRedisPubSubConnection<String, byte[]> listened = channel;
        return connection.isOpen() && (listened == null || listened.isOpen());
    }

    /** Throws if Redis does not answer where messages come from: then they may have been lost. */
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
            // Not permitted, or not known to what stands between.
            return false;
        }
    }
}
