package io.sluice.testkit.redis;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The server and the Cluster that the test classes of one JVM share. Each of them starts at its first use and ends with the JVM. Test
 * classes of one JVM run one after the other, so only one of them uses a server at a time.
 */
final class SharedServers {

    private static final List<String> FORBIDDEN = List.of(
            "config|set",
            "config|rewrite",
            "acl|setuser",
            "acl|deluser",
            "acl|load",
            "replicaof",
            "slaveof",
            "failover",
            "shutdown",
            "debug",
            "module");

    private static @Nullable RedisServer server;
    private static @Nullable RedisCluster cluster;

    private SharedServers() {}

    static synchronized RedisServer server() {
        if (server == null) {
            server = RedisServer.startShared(SharedServers::options);
        }
        empty(server);
        return server;
    }

    static synchronized RedisCluster cluster() {
        if (cluster == null) {
            cluster = RedisCluster.startShared();
        }
        cluster.awaitOk();
        cluster.primaries().forEach(SharedServers::empty);
        return cluster;
    }

    /**
     * Returns the options that make Redis itself refuse changes of its configuration. A change would also affect the classes that
     * use the server later.
     */
    static List<String> options() {
        List<String> user = new ArrayList<>(List.of("--user", "default", "on", "nopass", "~*", "&*", "+@all"));
        FORBIDDEN.forEach(command -> user.add("-" + command));
        return user;
    }

    /** Removes keys, functions, scripts and statistics. */
    private static void empty(RedisServer used) {
        RedisServer.done(used.command("FLUSHALL"));
        RedisServer.done(used.command("FUNCTION", "FLUSH"));
        RedisServer.done(used.command("SCRIPT", "FLUSH"));
        RedisServer.done(used.command("CONFIG", "RESETSTAT"));
    }
}
