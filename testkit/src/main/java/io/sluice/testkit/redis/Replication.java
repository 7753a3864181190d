package io.sluice.testkit.redis;

import io.sluice.testkit.Await;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** The replication within a group of servers: without delay, and as a separate user that can be locked out. */
final class Replication {

    private static final String USER = "replica";
    private static final String PASSWORD = "follows";
    private static final Duration PATIENCE = Duration.ofMinutes(2);

    private Replication() {}

    /** Returns the options of a server in the group, primary or replica, followed by the options of the caller. */
    static List<String> options(String... more) {
        List<String> all = new ArrayList<>(List.of(
                "--repl-diskless-sync-delay",
                "0",
                "--repl-ping-replica-period",
                "1",
                "--masteruser",
                USER,
                "--masterauth"));
        all.addAll(List.of(PASSWORD, "--user", USER, "on", ">" + PASSWORD, "+ping", "+psync", "+replconf"));
        all.addAll(List.of(more));
        return all;
    }

    /**
     * Keeps all replicas from following this server until {@link #resume} or a restart; effective when this method returns.
     * Freezing the replicas would not be enough: they would apply the data in their sockets when they continue.
     */
    static void stop(RedisServer primary) {
        RedisServer.done(primary.command("ACL", "SETUSER", USER, "off"));
        primary.command("CLIENT", "KILL", "TYPE", "replica").number();
        Await.until("no replica follows " + primary.port(), PATIENCE, () -> primary.info("connected_slaves")
                .equals("0"));
    }

    /** Lets replicas follow again; they try about every second. */
    static void resume(RedisServer primary) {
        RedisServer.done(primary.command("ACL", "SETUSER", USER, "on"));
    }
}
