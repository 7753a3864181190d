package io.sluice.testkit.redis;

import io.sluice.testkit.Await;
import java.time.Duration;

/**
 * A real primary and its replica behind one address, which moves to the replica when it takes over. There are no Sentinels, so
 * that a failover takes milliseconds and the next failover can follow within a second or two. Not thread-safe.
 */
public final class RedisPair implements AutoCloseable {

    private static final Duration PATIENCE = Duration.ofMinutes(2);

    private final FaultProxy address;
    private RedisServer primary;
    private RedisServer replica;

    private RedisPair(RedisServer primary, RedisServer replica) {
        this.primary = primary;
        this.replica = replica;
        this.address = FaultProxy.before(primary);
    }

    /** Starts both and waits until the replica follows. */
    public static RedisPair start() {
        RedisPair pair = new RedisPair(
                RedisServer.start(() -> Replication.options()), RedisServer.start(() -> Replication.options()));
        try {
            pair.follow();
        } catch (RuntimeException e) {
            pair.close();
            throw e;
        }
        return pair;
    }

    /** Returns the address of the current primary. */
    public String uri() {
        return address.uri();
    }

    public RedisServer primary() {
        return primary;
    }

    /** Waits until the replica has all data that was written before this call. */
    public void awaitReplication() {
        long written = primary.offset();
        Await.until("replica has everything", PATIENCE, () -> replica.offset() >= written);
    }

    /** Stops replication: later writes are lost when the primary dies. */
    public void stopReplication() {
        Replication.stop(primary);
    }

    /** Kills the primary as a crash would. */
    public void killPrimary() {
        primary.kill();
    }

    /** Makes the replica take over from a killed primary, with the data that it has received. */
    public void takeOver() {
        RedisServer.done(replica.command("REPLICAOF", "NO", "ONE"));
        RedisServer old = primary;
        primary = replica;
        replica = old;
        address.redirect(primary);
    }

    /** Restarts the killed server as the replica, and waits until it follows. */
    public void mend() {
        replica.restart();
        follow();
    }

    @Override
    public void close() {
        address.close();
        primary.close();
        replica.close();
    }

    private void follow() {
        RedisServer.done(replica.command("REPLICAOF", "127.0.0.1", Integer.toString(primary.port())));
        Await.until("replica follows", PATIENCE, () -> replica.followsPrimary(primary.port()));
    }
}
