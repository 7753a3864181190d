package io.sluice.redis.internal.link;

import io.lettuce.core.RedisCommandExecutionException;
import io.lettuce.core.RedisURI;
import io.lettuce.core.api.StatefulRedisConnection;
import io.sluice.redis.store.StoreVitals;
import java.lang.System.Logger.Level;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicReference;
import java.util.regex.Pattern;
import javax.net.ssl.SSLException;

/**
 * What is to be known of a server before one relies on it: its version, whether it throws counts away, whether it is the one that
 * it was. Asks with each new connection, and says what it finds in sentences. Safe for use by many threads.
 */
public final class ServerWatch {

    private static final System.Logger LOG = System.getLogger(ServerWatch.class.getName());
    private static final Pattern TOO_OLD = Pattern.compile("[0-6]\\.");

    private final String address;
    private final boolean inCluster;
    private final AtomicReference<String> runId = new AtomicReference<>("");
    private volatile List<String> findings = List.of();

    public ServerWatch(String address) {
        this(address, false);
    }

    /** @param inCluster whether it is asked as part of a Cluster */
    ServerWatch(String address, boolean inCluster) {
        this.address = address;
        this.inCluster = inCluster;
    }

    /** What is wrong with the server, though it decides; empty if nothing is. */
    public List<String> findings() {
        return findings;
    }

    @SuppressWarnings("FutureReturnValueIgnored") // reports through its callback
    void ask(StatefulRedisConnection<byte[], byte[]> redis) {
        redis.async().info().whenComplete((info, failure) -> {
            if (failure == null) {
                heard(fields(info));
            } else if (failure instanceof RedisCommandExecutionException) {
                LOG.log(
                        Level.INFO,
                        "Redis at {0} does not let its version and maxmemory-policy be checked: {1}",
                        address,
                        failure.getMessage());
            }
        });
    }

    /** How the server is doing now. */
    CompletableFuture<StoreVitals> vitals(StatefulRedisConnection<byte[], byte[]> redis) {
        return redis.async()
                .info("clients")
                .thenCombine(
                        redis.async().info("memory"),
                        (clients, memory) -> new StoreVitals(
                                number(fields(clients), "connected_clients"), number(fields(memory), "used_memory")))
                .toCompletableFuture();
    }

    private static long number(Map<String, String> info, String name) {
        return Long.parseLong(info.getOrDefault(name, "").trim());
    }

    private void heard(Map<String, String> info) {
        String now = info.getOrDefault("run_id", "");
        String before = runId.getAndSet(now);
        if (!before.isEmpty() && !before.equals(now)) {
            LOG.log(
                    Level.WARNING,
                    "Redis at {0} is not the server that it was (restarted, or failed over): what was not replicated is"
                            + " forgotten, and keys may have up to one burst more",
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
                    + " may throw counts away, and with them what was used (expected: noeviction)");
        }
        if (!inCluster && info.getOrDefault("redis_mode", "").equals("cluster")) {
            found.add("Redis at " + address + ": a node of a Cluster, which has some of the counts only (expected:"
                    + " redis-cluster://" + address + ")");
        }
        return List.copyOf(found);
    }

    private static Map<String, String> fields(String info) {
        Map<String, String> fields = new HashMap<>();
        for (String line : info.split("\r?\n", -1)) {
            int colon = line.indexOf(':');
            if (colon > 0) {
                fields.put(line.substring(0, colon), line.substring(colon + 1));
            }
        }
        return fields;
    }

    /** A failure in words that say what to do, where that is known. */
    public static String explained(Throwable failure, RedisURI uri) {
        Throwable root = failure;
        boolean ssl = false;
        while (root.getCause() != null && root.getCause() != root) {
            root = root.getCause();
            ssl |= root instanceof SSLException;
        }
        String message = String.valueOf(root.getMessage());
        String upper = message.toUpperCase(Locale.ROOT);
        if (ssl || (uri.isSsl() && upper.contains("TIMED OUT"))) {
            return message + " (expected: a server that speaks TLS, with a certificate that is trusted here)";
        } else if (upper.startsWith("NOAUTH") || upper.startsWith("WRONGPASS")) {
            return message + " (expected: user and password in the URI, redis://user:password@host)";
        } else if (upper.startsWith("NOPERM")) {
            return message + " (docs/redis.md has the smallest ACL)";
        } else if (upper.contains("CLUSTER SUPPORT DISABLED")) {
            return message + " (expected: a node of a Cluster, or redis:// for a single server)";
        } else if (upper.contains("UNKNOWN COMMAND") && upper.contains("FUNCTION")) {
            return message + " (expected: Redis 7.0 or newer)";
        } else if ((upper.contains("CONNECTION CLOSED") || upper.contains("CONNECTION RESET")) && !uri.isSsl()) {
            return message + " (if the server speaks TLS: rediss://)";
        }
        return message;
    }
}
