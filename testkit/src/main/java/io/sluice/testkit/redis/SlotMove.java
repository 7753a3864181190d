package io.sluice.testkit.redis;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * A slot of a {@link RedisCluster} that moves from one node to another, step by step. Meanwhile the source node answers {@code
 * ASK} for keys that it no longer has, and both nodes answer {@code TRYAGAIN} to several keys of which they have only some.
 */
public final class SlotMove {

    private static final int BATCH = 100;

    private final RedisCluster cluster;
    private final int slot;
    private final RedisServer from;
    private final RedisServer to;

    SlotMove(RedisCluster cluster, int slot, RedisServer from, RedisServer to) {
        this.cluster = cluster;
        this.slot = slot;
        this.from = from;
        this.to = to;
        setSlot(to, "IMPORTING", cluster.idOf(from));
        setSlot(from, "MIGRATING", cluster.idOf(to));
    }

    public RedisServer from() {
        return from;
    }

    public RedisServer to() {
        return to;
    }

    /** Moves these keys of the slot. */
    public void migrateKeys(String... keys) {
        try (RedisConnection connection = from.connect()) {
            RedisServer.done(migrate(connection, List.of(keys)));
        }
    }

    /** Moves all keys of the slot. */
    public void migrateAllKeys() {
        // ISO 8859-1 returns the bytes of any key unchanged.
        try (RedisConnection connection = from.authenticated(
                RedisConnection.to(from.port(), Duration.ofMinutes(1), StandardCharsets.ISO_8859_1))) {
            List<String> keys = keysLeft(connection);
            while (!keys.isEmpty()) {
                // The reply is not OK if all keys expired meanwhile.
                migrate(connection, keys).text();
                keys = keysLeft(connection);
            }
        }
    }

    /** Gives the slot to the target node, which must have all keys by now, and informs every living primary. */
    public void finish() {
        setSlot(to, "NODE", cluster.idOf(to));
        setSlot(from, "NODE", cluster.idOf(to));
        for (RedisServer node : cluster.primaries()) {
            setSlot(node, "NODE", cluster.idOf(to));
        }
    }

    /** Gives up: the slot stays where it was, and moved keys become unreachable. */
    public void abandon() {
        setSlot(from, "STABLE");
        setSlot(to, "STABLE");
    }

    private List<String> keysLeft(RedisConnection connection) {
        return connection
                .command("CLUSTER", "GETKEYSINSLOT", Integer.toString(slot), Integer.toString(BATCH))
                .texts();
    }

    private RedisReply migrate(RedisConnection connection, List<String> keys) {
        List<String> command =
                new ArrayList<>(List.of("MIGRATE", "127.0.0.1", Integer.toString(to.port()), "", "0", "5000"));
        to.password().ifPresent(password -> command.addAll(List.of("AUTH", password)));
        command.add("KEYS");
        command.addAll(keys);
        return connection.command(command.toArray(String[]::new));
    }

    private void setSlot(RedisServer node, String... change) {
        List<String> command = new ArrayList<>(List.of("CLUSTER", "SETSLOT", Integer.toString(slot)));
        command.addAll(List.of(change));
        RedisServer.done(node.command(command.toArray(String[]::new)));
    }
}
