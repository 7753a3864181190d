package io.sluice.testkit.redis;

import io.sluice.testkit.Await;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * A real primary with replicas, watched by three real Sentinels with a quorum of two. They consider a primary dead after 500 ms
 * and replace it within two or three seconds. Thread-safe.
 *
 * <p>A restarted server comes back as an empty primary until the Sentinels make it a replica, after about three seconds. This also happens
 * to a server whose configuration could not be written when it died.
 */
public final class RedisSentinels implements AutoCloseable {

    /** The name under which the Sentinels know the primary. */
    public static final String NAME = "main";

    private static final Duration PATIENCE = Duration.ofMinutes(2);
    private static final Duration ATTEMPT = Duration.ofSeconds(5);
    private static final int SENTINELS = 3;
    private static final int QUORUM = 2;

    private final List<RedisServer> servers = new ArrayList<>();
    private final List<RedisServer> sentinels = new ArrayList<>();
    private volatile int knownPrimary;

    private RedisSentinels() {}

    /**
     * Starts all servers and Sentinels, and waits until the replicas follow and the Sentinels know them and each other.
     *
     * @param replicas the number of replicas, from 1
     * @param options the options of the servers, as on the command line; replicas and Sentinels also get {@code --requirepass}
     */
    public static RedisSentinels start(int replicas, String... options) {
        if (replicas < 1) {
            throw new IllegalArgumentException("replicas: " + replicas + " (expected: 1 or more)");
        }
        RedisSentinels all = new RedisSentinels();
        try {
            all.startServers(1 + replicas, options);
            all.startSentinels();
            Await.until("sentinels know all", PATIENCE, all::allKnown);
            all.slowDown();
        } catch (RuntimeException e) {
            all.close();
            throw e;
        }
        return all;
    }

    /** Returns the address as Lettuce reads it, with the password of the servers if there is one. */
    public String uri() {
        return sentinels.stream()
                .map(sentinel -> "127.0.0.1:" + sentinel.port())
                .collect(Collectors.joining(
                        ",", "redis-sentinel://" + servers.get(0).credentials(), "/0#" + NAME));
    }

    /** Returns primary and replicas, including dead ones, in the order of their start. */
    public List<RedisServer> servers() {
        return List.copyOf(servers);
    }

    public List<RedisServer> sentinels() {
        return List.copyOf(sentinels);
    }

    /** Returns the primary, once the living Sentinels agree on it. It may be dead. */
    public RedisServer primary() {
        Await.until("sentinels agree", PATIENCE, () -> named().size() == 1);
        return named().stream().findFirst().flatMap(this::server).orElseThrow();
    }

    /** Returns all servers but the primary, including dead ones. */
    public List<RedisServer> replicas() {
        RedisServer primary = primary();
        return servers.stream().filter(server -> server != primary).toList();
    }

    /** Kills the primary as a crash would, and returns it. */
    public RedisServer killPrimary() {
        RedisServer primary = primary();
        primary.kill();
        return primary;
    }

    /**
     * Keeps all replicas from following the primary, as if they could not reach it. Later writes are lost when the primary dies.
     * A replica that was left behind for more than 5 s is not promoted.
     */
    public void stopReplication() {
        Replication.stop(primary());
    }

    /** Lets replicas follow the primary again. */
    public void resumeReplication() {
        Replication.resume(primary());
    }

    /** Makes a replica take over while the primary lives, as for maintenance. Waits for it and returns the new primary. */
    public RedisServer failOver() {
        int old = primary().port();
        knownPrimary = old;
        Await.until("replica takes over", PATIENCE, () -> {
            if (named().contains(old)) {
                // The Sentinel refuses this without fresh news of a replica, and does not retry it if it fails.
                sentinels.get(0).command("SENTINEL", "FAILOVER", NAME);
            }
            // Not a bound: callers try again.
            return Await.within(ATTEMPT, () -> settled(old));
        });
        return awaitFailover();
    }

    /**
     * Waits until there is another primary than at the start or at the last call, and every living server follows it.
     *
     * @return the new primary
     */
    public RedisServer awaitFailover() {
        Await.until("another primary than " + knownPrimary, PATIENCE, () -> settled(knownPrimary));
        RedisServer primary = primary();
        knownPrimary = primary.port();
        return primary;
    }

    /** Waits until every living server follows the living primary, for use after a restart of a dead server. */
    public void awaitReplicas() {
        Await.until("replicas follow", PATIENCE, () -> settled(0));
    }

    /** Waits until every living replica has all data that was written before this call. */
    public void awaitReplication() {
        long written = primary().offset();
        Await.until("replicas have everything", PATIENCE, () -> replicas().stream()
                .filter(RedisServer::isAlive)
                .allMatch(replica -> replica.offset() >= written));
    }

    @Override
    public void close() {
        sentinels.forEach(RedisServer::close);
        servers.forEach(RedisServer::close);
    }

    private void startServers(int count, String... options) {
        for (int i = 0; i < count; i++) {
            servers.add(RedisServer.start(() -> Replication.options(options)));
        }
        knownPrimary = servers.get(0).port();
        for (RedisServer replica : servers.subList(1, count)) {
            RedisServer.done(replica.command("REPLICAOF", "127.0.0.1", Integer.toString(knownPrimary)));
        }
    }

    private void startSentinels() {
        for (int i = 0; i < SENTINELS; i++) {
            RedisServer sentinel = RedisServer.startSentinel();
            sentinels.add(sentinel);
            try (RedisConnection connection = sentinel.connect()) {
                // With three candidates, each might vote for itself. With two candidates, the third Sentinel decides
                // between them.
                watch(connection, i < SENTINELS - 1 ? 500 : 1_500);
            }
        }
    }

    private void watch(RedisConnection sentinel, int downAfterMillis) {
        // News about a replica is valid for five pings while there is no primary, otherwise for three periods. During a
        // takeover it arrives every second.
        tune(sentinel, "info-period 600 ping-period 450 ask-period 100 tilt-period 500 min-link-reconnect-period 500");
        tune(sentinel, "publish-period 100");
        RedisServer.done(sentinel.command(
                "SENTINEL", "MONITOR", NAME, "127.0.0.1", Integer.toString(knownPrimary), Integer.toString(QUORUM)));
        set(sentinel, "down-after-milliseconds", Integer.toString(downAfterMillis));
        set(sentinel, "failover-timeout", "2000");
        set(sentinel, "parallel-syncs", "8");
        servers.get(0).password().ifPresent(password -> set(sentinel, "auth-pass", password));
    }

    private static void set(RedisConnection sentinel, String option, String value) {
        RedisServer.done(sentinel.command("SENTINEL", "SET", NAME, option, value));
    }

    /** Tunes a Sentinel. By default, for production, Sentinels communicate at most once a second and repair after ten seconds. */
    private static void tune(RedisConnection sentinel, String periods) {
        RedisServer.done(sentinel.command(("SENTINEL DEBUG " + periods).split(" ", -1)));
    }

    /**
     * Lengthens the publish period. A Sentinel that disagrees with a primary makes it a replica after four such periods. The
     * Sentinel that ordered a promotion notices it after up to a second, and informs the others only then.
     */
    private void slowDown() {
        for (RedisServer sentinel : sentinels) {
            try (RedisConnection connection = sentinel.connect()) {
                tune(connection, "publish-period 500");
            }
        }
    }

    private boolean allKnown() {
        return settled(0)
                && sentinels.stream().allMatch(sentinel -> {
                    List<String> known =
                            sentinel.command("SENTINEL", "MASTER", NAME).texts();
                    return field(known, "num-slaves").equals(Integer.toString(servers.size() - 1))
                            && field(known, "num-other-sentinels").equals(Integer.toString(SENTINELS - 1))
                            && sentinel.command("SENTINEL", "CKQUORUM", NAME) instanceof RedisReply.Text;
                });
    }

    private static String field(List<String> fields, String name) {
        return fields.get(fields.indexOf(name) + 1);
    }

    /** Returns whether Sentinels and living servers agree on a living primary other than the primary on this port. */
    private boolean settled(int notPort) {
        Set<Integer> named = named();
        if (named.size() != 1 || named.contains(notPort)) {
            return false;
        }
        try {
            return named.stream()
                    .flatMap(port -> server(port).stream())
                    .anyMatch(primary -> primary.isAlive()
                            && primary.info("role").equals("master")
                            && servers.stream()
                                    .filter(server -> server != primary && server.isAlive())
                                    .allMatch(
                                            server -> server.followsPrimary(primary.port()) && knownAsReplica(server)));
        } catch (UncheckedIOException diesMeanwhile) {
            return false;
        }
    }

    /**
     * Returns whether all living Sentinels see the server as a replica. A Sentinel that does not would demote it later, even if it is the
     * primary by then.
     */
    private boolean knownAsReplica(RedisServer server) {
        String port = Integer.toString(server.port());
        return sentinels.stream()
                .filter(RedisServer::isAlive)
                .flatMap(sentinel -> sentinel.command("SENTINEL", "REPLICAS", NAME).list().stream())
                .map(RedisReply::texts)
                .filter(replica -> field(replica, "port").equals(port))
                .allMatch(replica -> field(replica, "flags").equals("slave")
                        && field(replica, "role-reported").equals("slave"));
    }

    /** Returns the ports that the living Sentinels consider to be the primary's. */
    private Set<Integer> named() {
        Set<Integer> ports = new HashSet<>();
        sentinels.stream()
                .filter(RedisServer::isAlive)
                .forEach(sentinel ->
                        ports.add(Integer.valueOf(sentinel.command("SENTINEL", "GET-MASTER-ADDR-BY-NAME", NAME)
                                .texts()
                                .get(1))));
        return ports;
    }

    private Optional<RedisServer> server(int port) {
        return servers.stream().filter(server -> server.port() == port).findFirst();
    }
}
