package io.sluice.testkit.redis;

import io.sluice.core.time.Clock;
import io.sluice.testkit.Await;
import io.sluice.testkit.process.Ports;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.Collectors;

/**
 * A real Redis Cluster of three primaries with one replica each. Nodes consider each other dead after one second. A replica takes
 * over about two seconds after its primary died. Thread-safe.
 */
public final class RedisCluster implements AutoCloseable {

    private static final Duration PATIENCE = Duration.ofMinutes(2);
    private static final Duration VOTES_LAST = Duration.ofSeconds(2);
    private static final Duration ATTEMPT = Duration.ofSeconds(6);
    private static final int PRIMARIES = 3;

    private final List<RedisServer> nodes = new ArrayList<>();
    private final Map<RedisServer, String> ids = new HashMap<>();

    private volatile long quietFromNanos = Clock.system().nanoTime();

    private RedisCluster() {}

    /**
     * Starts the cluster and waits about three seconds until it is healthy.
     *
     * @param options the options of all nodes, as on the command line
     */
    public static RedisCluster start(String... options) {
        return start(() -> List.of(options));
    }

    /**
     * Starts a cluster whose nodes use TLS among each other, and with clients on separate ports; see {@link #tlsUri}.
     *
     * @param certificate a self-signed certificate in PEM
     * @param key the key of the certificate, in PEM
     */
    public static RedisCluster startOverTls(Path certificate, Path key) {
        return start(() -> List.of(
                "--tls-port",
                Integer.toString(Ports.free()),
                "--tls-cluster",
                "yes",
                "--tls-replication",
                "yes",
                "--tls-auth-clients",
                "no",
                "--tls-cert-file",
                certificate.toString(),
                "--tls-key-file",
                key.toString(),
                "--tls-ca-cert-file",
                certificate.toString()));
    }

    /**
     * Returns the cluster that all test classes of this JVM share, emptied: without keys, functions, scripts and statistics. It starts at
     * the first call and ends with the JVM. Slots may have moved since its start. Use {@link #start} for a cluster to kill, freeze,
     * configure or fail over: the shared cluster throws an {@link IllegalStateException} on each of these, and when it is closed.
     */
    public static RedisCluster shared() {
        return SharedServers.cluster();
    }

    static RedisCluster startShared() {
        return start(RedisServer::startShared, SharedServers::options);
    }

    private static RedisCluster start(Supplier<List<String>> options) {
        return start(RedisServer::start, options);
    }

    private static RedisCluster start(
            Function<Supplier<List<String>>, RedisServer> starter, Supplier<List<String>> options) {
        RedisCluster cluster = new RedisCluster();
        try {
            cluster.startNodes(starter, options);
            cluster.giveSlots();
            cluster.introduce();
            cluster.giveReplicas();
            cluster.awaitOk();
        } catch (RuntimeException e) {
            cluster.close();
            throw e;
        }
        return cluster;
    }

    /** Returns the slot of a key: 0..16383. */
    public static int slotOf(String key) {
        return KeySlot.of(key);
    }

    /** Returns the address with all nodes as seeds, their password if there is one, and the timeout of a shared cluster. */
    public String uri() {
        return nodes.stream()
                .map(node -> "127.0.0.1:" + node.port())
                .collect(Collectors.joining(
                        ",",
                        "redis-cluster://" + nodes.get(0).credentials(),
                        nodes.get(0).patience()));
    }

    /** Returns the TLS address of a cluster that was started over TLS, for clients that trust any certificate. */
    public String tlsUri() {
        return nodes.stream()
                .map(node -> "127.0.0.1:" + node.option("--tls-port").orElseThrow())
                .collect(Collectors.joining(",", "rediss-cluster://", "?verifyPeer=NONE"));
    }

    /** Returns all nodes, including dead ones, in the order of their start. */
    public List<RedisServer> nodes() {
        return List.copyOf(nodes);
    }

    /** Returns the living nodes that consider themselves primaries. */
    public List<RedisServer> primaries() {
        return living().stream()
                .filter(node -> node.info("role").equals("master"))
                .toList();
    }

    /** Returns the owner of a slot, once the living nodes agree on it. The owner may be dead. */
    public RedisServer ownerOf(int slot) {
        checkSlot(slot);
        Await.until("nodes agree", PATIENCE, () -> views().size() == 1);
        return node(views().iterator().next().floorEntry(slot).getValue());
    }

    /** Returns the living replicas of the owner of a slot. */
    public List<RedisServer> replicasOf(int slot) {
        String primary = idOf(ownerOf(slot));
        return living().stream()
                .filter(node ->
                        Arrays.asList(myself(node).split(" ", -1)).get(3).equals(primary))
                .toList();
    }

    /** Moves a slot with its keys, and waits until all nodes know the new owner. */
    public void moveSlot(int slot, RedisServer to) {
        SlotMove move = beginMove(slot, to);
        move.migrateAllKeys();
        move.finish();
        awaitOk();
    }

    /** Starts to move a slot from its owner to another primary, for tests of the time in between. */
    public SlotMove beginMove(int slot, RedisServer to) {
        RedisServer from = ownerOf(slot);
        if (from == to) {
            throw new IllegalArgumentException(
                    "to: " + to.port() + " (expected: another than the owner of " + slot + ")");
        }
        return new SlotMove(this, slot, from, to);
    }

    /**
     * Kills the owner of a slot as a crash would, and returns it. First waits until the last takeover is two seconds old. Until then, a
     * node that won an election and lost its place again would win with the same votes, which no other node would accept.
     */
    public RedisServer killPrimaryOf(int slot) {
        Await.until("last takeover is over", PATIENCE, () -> Clock.system().nanoTime() - quietFromNanos >= 0);
        RedisServer owner = ownerOf(slot);
        owner.kill();
        return owner;
    }

    /**
     * Keeps all replicas from following the owner of a slot, as if they could not reach it. Later writes are lost when the owner
     * dies.
     */
    public void stopReplicationOf(int slot) {
        Replication.stop(ownerOf(slot));
    }

    /** Lets replicas follow the owner of a slot again. */
    public void resumeReplicationOf(int slot) {
        Replication.resume(ownerOf(slot));
    }

    /** Waits until every living replica has all data that was written to the owner of a slot before this call. */
    public void awaitReplicationOf(int slot) {
        long written = ownerOf(slot).offset();
        Await.until("replicas have everything", PATIENCE, () -> replicasOf(slot).stream()
                .allMatch(replica -> replica.offset() >= written));
    }

    /** Makes a replica take over from a living owner, as for maintenance. Waits for it and returns the new owner. */
    public RedisServer failOver(int slot) {
        RedisServer replica = replicasOf(slot).get(0);
        replica.mayChange("failOver");
        Await.until("replica takes over", PATIENCE, () -> {
            // An attempt that is not granted ends silently after five seconds.
            if (replica.info("role").equals("slave")) {
                RedisServer.done(replica.command("CLUSTER", "FAILOVER"));
            }
            // Not a bound: callers try again.
            return Await.within(ATTEMPT, () -> inOrder() && ownerOf(slot) == replica);
        });
        quietFromNanos = Clock.system().nanoTime() + VOTES_LAST.toNanos();
        return replica;
    }

    /** Waits until a replica has replaced a dead owner of a slot and the cluster is healthy. Returns the new owner. */
    public RedisServer awaitFailover(int slot) {
        awaitOk();
        quietFromNanos = Clock.system().nanoTime() + VOTES_LAST.toNanos();
        return ownerOf(slot);
    }

    /** Waits until all living nodes report a healthy cluster and agree on living owners, and living replicas follow them. */
    public void awaitOk() {
        Await.until("cluster is in order", PATIENCE, this::inOrder);
    }

    @Override
    public void close() {
        nodes.forEach(RedisServer::close);
    }

    String idOf(RedisServer node) {
        String id = ids.get(node);
        if (id == null) {
            throw new IllegalArgumentException("node: " + node.port() + " (expected: one of this cluster)");
        }
        return id;
    }

    private void startNodes(Function<Supplier<List<String>>, RedisServer> starter, Supplier<List<String>> options) {
        for (int i = 0; i < 2 * PRIMARIES; i++) {
            RedisServer node = starter.apply(() -> {
                // The default, the port plus 10,000, may not be a valid port.
                List<String> all = new ArrayList<>(List.of("--cluster-port", Integer.toString(Ports.free())));
                all.addAll(List.of("--cluster-enabled", "yes", "--cluster-node-timeout", "1000"));
                all.addAll(
                        List.of("--cluster-replica-validity-factor", "0", "--cluster-allow-replica-migration", "no"));
                all.addAll(Replication.options(options.get().toArray(String[]::new)));
                return all;
            });
            nodes.add(node);
            ids.put(node, node.command("CLUSTER", "MYID").text());
        }
    }

    private void giveSlots() {
        for (int i = 0; i < PRIMARIES; i++) {
            int first = KeySlot.COUNT * i / PRIMARIES;
            int last = KeySlot.COUNT * (i + 1) / PRIMARIES - 1;
            RedisServer.done(
                    nodes.get(i).command("CLUSTER", "ADDSLOTSRANGE", Integer.toString(first), Integer.toString(last)));
            RedisServer.done(nodes.get(i).command("CLUSTER", "SET-CONFIG-EPOCH", Integer.toString(i + 1)));
        }
    }

    private void introduce() {
        for (int i = 0; i < nodes.size(); i++) {
            for (RedisServer other : nodes.subList(i + 1, nodes.size())) {
                String bus = other.option("--cluster-port").orElseThrow();
                RedisServer.done(
                        nodes.get(i).command("CLUSTER", "MEET", "127.0.0.1", Integer.toString(other.port()), bus));
            }
        }
        Await.until("nodes know each other", PATIENCE, () -> nodes.stream()
                .allMatch(node -> field(node, "cluster_known_nodes").equals(Integer.toString(nodes.size()))
                        && !node.command("CLUSTER", "NODES").text().contains("handshake")));
    }

    private void giveReplicas() {
        for (int i = 0; i < PRIMARIES; i++) {
            RedisServer.done(nodes.get(PRIMARIES + i).command("CLUSTER", "REPLICATE", idOf(nodes.get(i))));
        }
    }

    private boolean inOrder() {
        try {
            Set<NavigableMap<Integer, String>> views = views();
            if (views.size() != 1 || roles().size() != 1) {
                return false;
            }
            Set<String> owners = new HashSet<>(views.iterator().next().values());
            return owners.stream().allMatch(id -> node(id).isAlive())
                    && living().stream()
                            .allMatch(node -> field(node, "cluster_state").equals("ok")
                                    && (owners.contains(idOf(node)) || follows(node)));
        } catch (UncheckedIOException diesMeanwhile) {
            return false;
        }
    }

    /** Returns whether a node without slots follows an owner, or is a primary that has lost its last slot. */
    private boolean follows(RedisServer node) {
        return node.info("role").equals("master")
                || node.info("master_link_status").equals("up");
    }

    /** Returns the owners by first slot, in the view of each living node; a single view if the nodes agree. */
    private Set<NavigableMap<Integer, String>> views() {
        Set<NavigableMap<Integer, String>> views = new HashSet<>();
        for (RedisServer node : living()) {
            NavigableMap<Integer, String> owners = new TreeMap<>();
            for (RedisReply range : node.command("CLUSTER", "SLOTS").list()) {
                List<RedisReply> parts = range.list();
                owners.put(
                        (int) parts.get(0).number(), parts.get(2).list().get(2).text());
            }
            views.add(owners);
        }
        return views;
    }

    /** Returns the living nodes and the nodes that they follow, in the view of each node; a single view if the nodes agree. */
    private Set<Set<String>> roles() {
        Set<String> living = living().stream().map(this::idOf).collect(Collectors.toSet());
        return living().stream()
                .map(node -> node.command("CLUSTER", "NODES")
                        .text()
                        .lines()
                        .map(line -> line.split(" ", -1))
                        .filter(parts -> living.contains(parts[0]))
                        .map(parts -> parts[0] + " " + parts[2].replace("myself,", "") + " " + parts[3])
                        .collect(Collectors.toSet()))
                .collect(Collectors.toSet());
    }

    private List<RedisServer> living() {
        return nodes.stream().filter(RedisServer::isAlive).toList();
    }

    private RedisServer node(String id) {
        return nodes.stream().filter(node -> idOf(node).equals(id)).findFirst().orElseThrow();
    }

    private static String myself(RedisServer node) {
        return node.command("CLUSTER", "NODES")
                .text()
                .lines()
                .filter(line -> line.contains("myself"))
                .findFirst()
                .orElseThrow();
    }

    private static String field(RedisServer node, String name) {
        return node.command("CLUSTER", "INFO")
                .text()
                .lines()
                .filter(line -> line.startsWith(name + ":"))
                .map(line -> line.substring(name.length() + 1))
                .findFirst()
                .orElseThrow();
    }

    private static void checkSlot(int slot) {
        if (slot < 0 || slot >= KeySlot.COUNT) {
            throw new IllegalArgumentException("slot: " + slot + " (expected: 0.." + (KeySlot.COUNT - 1) + ")");
        }
    }
}
