package io.sluice.redis.internal.link;

import io.lettuce.core.RedisCommandExecutionException;
import io.lettuce.core.RedisURI;
import io.lettuce.core.api.StatefulRedisConnection;
import io.sluice.core.spi.RootCause;
import io.sluice.redis.store.StoreVitals;
import java.lang.System.Logger.Level;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicReference;
import java.util.regex.Pattern;
import javax.net.ssl.SSLException;

/**
 * Checks a server with each new connection: its version, whether it may evict counts, and whether it is still the same server.
 * Reports problems as sentences. Thread-safe.
 */
public final class ServerWatch {

    private static final System.Logger LOG = System.getLogger(ServerWatch.class.getName());
    private static final Pattern TOO_OLD = Pattern.compile("[0-6]\\.");

    private final String address;
    private final boolean inCluster;
    private final AtomicReference<String> runId = new AtomicReference<>("");
    private volatile List<String> findings = List.of();
    private volatile boolean hidesSlowLog;

    public ServerWatch(String address) {
        this(address, false);
    }

    /**
     * Creates a watch for one server.
     *
     * @param inCluster whether the server is used as part of a Cluster
     */
    ServerWatch(String address, boolean inCluster) {
        this.address = address;
        this.inCluster = inCluster;
    }

    /** Returns the problems of a server that still decides. Empty if there are none. */
    public List<String> findings() {
        return findings;
    }

    @SuppressWarnings("FutureReturnValueIgnored") // reports through its callback
    void ask(StatefulRedisConnection<byte[], byte[]> redis) {
        hidesSlowLog = false;
        redis.async().info().whenComplete((info, failure) -> {
            if (failure == null) {
                heard(InfoFields.of(info).all());
            } else if (failure instanceof RedisCommandExecutionException) {
                LOG.log(
                        Level.INFO,
                        "Redis at {0} does not allow checking its version and maxmemory-policy: {1}",
                        address,
                        failure.getMessage());
            }
        });
    }

    /** Asks the server for its current vital figures. */
    CompletableFuture<StoreVitals> vitals(StatefulRedisConnection<byte[], byte[]> redis) {
        return redis.async()
                .info()
                .thenCombine(slowLogLength(redis), (info, length) -> InfoFields.of(info)
                        .vitals(length))
                .toCompletableFuture();
    }

    /**
     * Returns the length of the slow log, or NaN if the server forbids the command. It is then not asked again, because each refusal is an
     * entry in its ACL log.
     */
    private CompletionStage<Double> slowLogLength(StatefulRedisConnection<byte[], byte[]> redis) {
        if (hidesSlowLog) {
            return CompletableFuture.completedFuture(Double.NaN);
        }
        return redis.async().slowlogLen().handle((length, failure) -> {
            if (failure instanceof RedisCommandExecutionException) {
                hidesSlowLog = true;
            }
            return length == null ? Double.NaN : length.doubleValue();
        });
    }

    private void heard(Map<String, String> info) {
        String now = info.getOrDefault("run_id", "");
        String before = runId.getAndSet(now);
        if (!before.isEmpty() && !before.equals(now)) {
            LOG.log(
                    Level.WARNING,
                    "Redis at {0} is no longer the same server (it was restarted or failed over): counts that were not"
                            + " replicated are lost, and each key may be admitted up to one extra burst",
                    address);
        }
        List<String> found = found(info);
        if (!found.equals(findings)) {
            findings = found;
            found.forEach(finding -> LOG.log(Level.WARNING, finding));
        }
    }

    public List<String> found(Map<String, String> info) {
        List<String> found = new ArrayList<>();
        String version = info.getOrDefault("redis_version", "");
        if (TOO_OLD.matcher(version).lookingAt()) {
            found.add(
                    "Redis at " + address + ": version " + version + " (expected: 7.0 or newer, which has functions)");
        }
        String policy = info.getOrDefault("maxmemory_policy", "noeviction");
        if (!policy.equals("noeviction")) {
            found.add("Redis at " + address + ": maxmemory-policy " + policy
                    + " may evict counts and so forget what was used (expected: noeviction)");
        }
        if (!inCluster && info.getOrDefault("redis_mode", "").equals("cluster")) {
            found.add("Redis at " + address + ": a node of a Cluster, which holds only some of the counts (expected:"
                    + " redis-cluster://" + address + ")");
        }
        return List.copyOf(found);
    }

    /** Describes a failure with the action for the user, if it is known. */
    public static String explained(Throwable failure, RedisURI uri) {
        Throwable root = failure;
        boolean ssl = false;
        while (root.getCause() != null && root.getCause() != root) {
            root = root.getCause();
            ssl |= root instanceof SSLException;
        }
        String message = RootCause.words(root);
        String upper = message.toUpperCase(Locale.ROOT);
        if (ssl || (uri.isSsl() && upper.contains("TIMED OUT"))) {
            return message + " (expected: a TLS server with a certificate that this JVM trusts)";
        } else if (upper.startsWith("NOAUTH") || upper.startsWith("WRONGPASS")) {
            return message + " (expected: user and password in the URI, such as redis://user:password@host:6379)";
        } else if (upper.startsWith("NOPERM")) {
            return message + " (docs/how-to/redis.md lists the minimal ACL)";
        } else if (upper.contains("CLUSTER SUPPORT DISABLED")) {
            return message + " (expected: a node of a Cluster, or redis:// for a single server)";
        } else if (upper.contains("UNKNOWN COMMAND") && upper.contains("FUNCTION")) {
            return message + " (expected: Redis 7.0 or newer)";
        } else if ((upper.contains("CONNECTION CLOSED") || upper.contains("CONNECTION RESET")) && !uri.isSsl()) {
            return message + " (if the server uses TLS, connect with rediss://)";
        }
        return message;
    }
}
