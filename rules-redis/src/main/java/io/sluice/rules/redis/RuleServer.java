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

/**
 * Where rules are: a server, whichever the sentinels name, or a Cluster. Makes connections that do not come back by themselves: what
 * was under way when one broke is not sent again, and whoever needs another asks for it. Safe for use by many threads.
 */
@SuppressWarnings("FutureReturnValueIgnored") // nobody waits for closing
final class RuleServer implements AutoCloseable {

    private static final String CLUSTER = "redis-cluster://";
    private static final String SECURE_CLUSTER = "rediss-cluster://";

    private final List<RedisURI> uris;
    private final boolean cluster;
    private final Duration connectingMayTake;
    private final EventLoopGroupProvider loops = new DefaultEventLoopGroupProvider(1);
    private final ClientResources resources;

    private RuleServer(List<RedisURI> uris, boolean cluster, Duration connectingMayTake) {
        this.uris = uris;
        this.cluster = cluster;
        this.connectingMayTake = connectingMayTake;
        // Held for as long as this lives; otherwise it would end with each line, and begin with the next.
        loops.allocate(Transports.eventLoopGroupClass());
        this.resources = ClientResources.builder()
                .eventLoopGroupProvider(loops)
                .computationThreadPoolSize(2)
                .build();
    }

    /**
     * Reads an address, and connects to nothing yet.
     *
     * @param connectingMayTake with the greeting
     * @throws IllegalArgumentException if it is none; without the address, which may have a password in it
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
        for (RedisURI each : uris) {
            each.setTimeout(connectingMayTake);
            each.getSentinels().forEach(sentinel -> sentinel.setTimeout(connectingMayTake));
        }
        return new RuleServer(uris, cluster, connectingMayTake);
    }

    /** Connects; waits for it, and throws if that takes too long. */
    RuleLine open(Duration patience) {
        if (cluster) {
            // A new one each time, because it keeps to the nodes that it once knew.
            RedisClusterClient client = RedisClusterClient.create(resources, uris);
            // A primary that died and was replaced is named on, without slots; a scan would wait for it in vain.
            client.setOptions(ClusterClientOptions.builder(options())
                    .nodeFilter(node ->
                            !node.getRole().isUpstream() || !node.getSlots().isEmpty())
                    .build());
            try {
                return RuleLine.toCluster(client, patience);
            } catch (RuntimeException e) {
                client.shutdown(0, 1, TimeUnit.SECONDS);
                throw e;
            }
        }
        RedisClient client = RedisClient.create(resources, uris.get(0));
        client.setOptions(options());
        try {
            return RuleLine.toServer(client, patience);
        } catch (RuntimeException e) {
            client.shutdown(0, 1, TimeUnit.SECONDS);
            throw e;
        }
    }

    /** The addresses of several servers, with the credentials and parameters that they share. */
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

    /** As logs may show it. */
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
