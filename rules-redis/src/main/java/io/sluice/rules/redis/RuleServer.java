package io.sluice.rules.redis;

import io.lettuce.core.ClientOptions;
import io.lettuce.core.ClientOptions.DisconnectedBehavior;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.SocketOptions;
import io.lettuce.core.cluster.ClusterClientOptions;
import io.lettuce.core.cluster.RedisClusterClient;
import io.lettuce.core.resource.ClientResources;
import io.lettuce.core.resource.DefaultEventLoopGroupProvider;
import io.lettuce.core.resource.EventLoopGroupProvider;
import io.lettuce.core.resource.Transports;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;

/**
 * The location of the rules: a server, the primary that the sentinels name, or a Cluster. Its connections do not reconnect by
 * themselves: commands in flight on a broken connection are not sent again, and the caller opens a new connection. Thread-safe.
 */
@SuppressWarnings("FutureReturnValueIgnored") // closing does not need to be awaited
final class RuleServer implements AutoCloseable {

    private static final String CLUSTER = "redis-cluster://";
    private static final String SECURE_CLUSTER = "rediss-cluster://";

    private static final Pattern STATED = Pattern.compile("[?&]timeout=\\d");

    private final List<RedisURI> uris;
    private final boolean cluster;
    private final Duration connectingMayTake;

    /** The time that the address gives Redis to answer, {@code ?timeout=5s}; zero if it states none. */
    private final Duration stated;

    private final EventLoopGroupProvider loops = new DefaultEventLoopGroupProvider(1);
    private final ClientResources resources;

    private RuleServer(List<RedisURI> uris, boolean cluster, Duration stated, Duration connectingMayTake) {
        this.uris = uris;
        this.cluster = cluster;
        this.stated = stated;
        this.connectingMayTake = connectingMayTake;
        // Held as long as this object lives. Otherwise the threads would end with each connection and start with the
        // next.
        loops.allocate(Transports.eventLoopGroupClass());
        this.resources = ClientResources.builder()
                .eventLoopGroupProvider(loops)
                .computationThreadPoolSize(2)
                .build();
    }

    /**
     * Parses an address without connecting.
     *
     * @param connectingMayTake the timeout for connecting, including the handshake; the address may state a longer one
     * @throws IllegalArgumentException if the address is invalid; the message does not contain it, because it may include a
     *     password
     */
    static RuleServer at(String uri, Duration connectingMayTake) {
        boolean cluster = uri.startsWith(CLUSTER) || uri.startsWith(SECURE_CLUSTER);
        List<RedisURI> uris;
        try {
            uris = cluster ? seeds(uri.replaceFirst("-cluster", "")) : List.of(RedisURI.create(uri));
        } catch (RuntimeException e) {
            // Without its cause, which repeats the address.
            throw new IllegalArgumentException("redis: unreadable (expected: redis://HOST:PORT, rediss://,"
                    + " redis-sentinel://, redis-cluster:// or rediss-cluster://)");
        }
        Duration stated = STATED.matcher(uri).find() ? uris.get(0).getTimeout() : Duration.ZERO;
        Duration connecting = longerOf(connectingMayTake, stated);
        for (RedisURI each : uris) {
            each.setTimeout(connecting);
            each.getSentinels().forEach(sentinel -> sentinel.setTimeout(connecting));
        }
        return new RuleServer(uris, cluster, stated, connecting);
    }

    private static Duration longerOf(Duration one, Duration other) {
        return one.compareTo(other) > 0 ? one : other;
    }

    /** Connects to read, or to write without a center. Blocks until connected, and throws on timeout. */
    RuleLine open(Duration patience) {
        return open(patience, Claim.none());
    }

    /** Connects to read and to write for a center. Blocks until connected, and throws on timeout. */
    RuleLine open(Duration atLeast, Claim claim) {
        Duration patience = longerOf(atLeast, stated);
        if (cluster) {
            // A new client for each connection, because a client keeps to the nodes that it once knew.
            RedisClusterClient client = RedisClusterClient.create(resources, uris);
            // A dead primary that was replaced is still listed, without slots. A scan would wait for it in vain.
            client.setOptions(ClusterClientOptions.builder(options())
                    .nodeFilter(node ->
                            !node.getRole().isUpstream() || !node.getSlots().isEmpty())
                    .build());
            try {
                return RuleLine.toCluster(client, patience, claim);
            } catch (RuntimeException e) {
                client.shutdown(0, 1, TimeUnit.SECONDS);
                throw e;
            }
        }
        RedisClient client = RedisClient.create(resources, uris.get(0));
        client.setOptions(options());
        try {
            return RuleLine.toServer(client, patience, claim);
        } catch (RuntimeException e) {
            client.shutdown(0, 1, TimeUnit.SECONDS);
            throw e;
        }
    }

    /** Returns the addresses of several servers, with their shared credentials and parameters. */
    private static List<RedisURI> seeds(String uri) {
        int query = uri.indexOf('?');
        String parameters = query < 0 ? "" : uri.substring(query);
        String servers = (query < 0 ? uri : uri.substring(0, query)).replaceFirst("/$", "");
        int begin = Math.max(servers.lastIndexOf('@'), servers.indexOf("//") + 1) + 1;
        List<RedisURI> seeds = new ArrayList<>();
        for (String server : servers.substring(begin).split(",", -1)) {
            seeds.add(RedisURI.create(servers.substring(0, begin) + server + parameters));
        }
        return seeds;
    }

    /** Returns the name for logs. */
    String name() {
        RedisURI first = uris.get(0);
        return first.getSentinels().isEmpty()
                ? first.getHost() + ":" + first.getPort()
                : "the primary " + first.getSentinelMasterId();
    }

    @Override
    public void close() {
        resources.shutdown(0, 1, TimeUnit.SECONDS).addListener(done -> loops.shutdown(0, 1, TimeUnit.SECONDS));
    }

    private ClientOptions options() {
        return ClientOptions.builder()
                .autoReconnect(false)
                .disconnectedBehavior(DisconnectedBehavior.REJECT_COMMANDS)
                .socketOptions(SocketOptions.builder()
                        .connectTimeout(connectingMayTake)
                        .build())
                .build();
    }
}
