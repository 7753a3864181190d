package io.sluice.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.core.time.Clock;
import io.sluice.redis.internal.link.RedisOptions;
import io.sluice.redis.store.StoreVitals;
import io.sluice.testkit.Await;
import io.sluice.testkit.redis.RedisCluster;
import io.sluice.testkit.redis.RedisSentinels;
import io.sluice.testkit.redis.RedisServer;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;

/** What servers tell about themselves: one alone, one with replicas, a Cluster, and one that tells little. */
final class StoreVitalsTest {

    /** Only ends tests that hang. */
    private static final Duration PATIENCE = Duration.ofMinutes(5);

    @Test
    void aServerTellsItsOwnHealth() throws Exception {
        try (RedisServer server = RedisServer.start();
                RedisEngine redis = connected(server.uri())) {
            server.command("CONFIG", "SET", "maxmemory", "64mb");
            server.command("CONFIG", "SET", "slowlog-log-slower-than", "-1");
            server.command("SLOWLOG", "RESET");
            StoreVitals before = vitals(redis);
            assertThat(before.connectedClients()).isPositive();
            assertThat(before.usedMemoryBytes()).isPositive();
            assertThat(before.maxMemoryBytes()).isEqualTo(64 << 20);
            assertThat(before.slowLogLength()).isZero();
            assertThat(before.evictedKeys()).isZero();
            assertThat(before.connectedReplicas()).isZero();
            assertThat(before.lagBytes()).isNaN();
            assertThat(before.lagSeconds()).isNaN();

            server.command("CONFIG", "SET", "slowlog-log-slower-than", "0");
            Await.until("more slow commands and more processor time", PATIENCE, () -> {
                StoreVitals now = vitals(redis);
                return now.slowLogLength() > 0 && now.cpuSeconds() > before.cpuSeconds();
            });
        }
    }

    @Test
    void aServerThatHidesItsSlowLogTellsTheRest() throws Exception {
        try (RedisServer server = RedisServer.start();
                RedisEngine redis = connected(server.uri())) {
            server.command("ACL", "SETUSER", "default", "-slowlog");
            Await.until(
                    "no slow log", PATIENCE, () -> Double.isNaN(vitals(redis).slowLogLength()));
            StoreVitals vitals = vitals(redis);
            assertThat(vitals.connectedClients()).isPositive();
            assertThat(vitals.cpuSeconds()).isPositive();
            assertThat(vitals.maxMemoryBytes()).isZero();

            // Each refusal would be an entry in the ACL log of the server.
            server.command("ACL", "LOG", "RESET");
            vitals(redis);
            assertThat(server.command("ACL", "LOG").toString()).doesNotContain("slowlog");
        }
    }

    @Test
    void aServerThatEvictsTellsHowMuch() throws Exception {
        try (RedisServer server = RedisServer.start();
                RedisEngine redis = connected(server.uri())) {
            server.command("SET", "filler", "x".repeat(1 << 20));
            server.command("CONFIG", "SET", "maxmemory-policy", "allkeys-random");
            server.command("CONFIG", "SET", "maxmemory", "1mb");
            Await.until("an eviction", PATIENCE, () -> vitals(redis).evictedKeys() > 0);
        }
    }

    @Test
    void aPrimaryTellsHowFarItsReplicasAreBehind() throws Exception {
        try (RedisSentinels sentinels = RedisSentinels.start(2);
                RedisEngine redis = connected(sentinels.uri())) {
            sentinels.awaitReplication();
            Await.until("replicas that keep up", PATIENCE, () -> {
                StoreVitals now = vitals(redis);
                return now.connectedReplicas() == 2 && now.lagBytes() >= 0 && now.lagSeconds() >= 0;
            });
        }
    }

    @Test
    void aReplicaThatStandsStillFallsBehind() throws Exception {
        try (RedisServer server = RedisServer.start();
                RedisServer replica = RedisServer.start();
                RedisEngine redis = connected(server.uri())) {
            replica.command("REPLICAOF", "127.0.0.1", Integer.toString(server.port()));
            Await.until("a replica", PATIENCE, () -> {
                StoreVitals now = vitals(redis);
                return now.connectedReplicas() == 1 && now.lagBytes() >= 0;
            });
            replica.freeze();
            try {
                Await.until("a replica that is behind", PATIENCE, () -> {
                    server.command("SET", "filler", "x".repeat(100_000));
                    return vitals(redis).lagBytes() >= 100_000;
                });
            } finally {
                replica.thaw();
            }
            Await.until(
                    "a replica that has caught up",
                    PATIENCE,
                    () -> vitals(redis).lagBytes() < 100_000);
        }
    }

    @Test
    void aClusterTellsTheSumOfItsPrimariesAndTheLargestLag() throws Exception {
        RedisCluster cluster = RedisCluster.shared();
        try (RedisEngine redis = connected(cluster.uri())) {
            Await.until("the figures of all primaries", PATIENCE, () -> {
                StoreVitals now = vitals(redis);
                return now.connectedClients() >= cluster.primaries().size()
                        && now.connectedReplicas()
                                == cluster.nodes().size() - cluster.primaries().size()
                        && now.lagBytes() >= 0;
            });
        }
    }

    @Test
    void addsFiguresAndTakesTheLargestLag() {
        StoreVitals one = new StoreVitals(1, 10, 100, 0.5, 3, 0, 1, 7, 1);
        StoreVitals two = new StoreVitals(2, 20, 200, 1.5, Double.NaN, 4, 1, 5, 2);
        StoreVitals both = StoreVitals.NONE.and(one).and(two).and(StoreVitals.NONE);
        assertThat(both).isEqualTo(new StoreVitals(3, 30, 300, 2, Double.NaN, 4, 2, 7, 2));

        StoreVitals alone = new StoreVitals(1, 1, 0, 1, 1, 1, 0, Double.NaN, Double.NaN);
        assertThat(one.and(alone).lagBytes()).isEqualTo(7);
        assertThat(alone.and(one).lagBytes()).isEqualTo(7);
        assertThat(one.and(alone).maxMemoryBytes()).isZero();
    }

    private static RedisEngine connected(String uri) throws Exception {
        RedisEngine redis = RedisEngine.connect(
                uri, "p", Clock.system(), RedisOptions.defaults().slow(Duration.ofMinutes(1)));
        redis.ready().toCompletableFuture().get(300, TimeUnit.SECONDS);
        return redis;
    }

    /** The servers may be busy. */
    private static StoreVitals vitals(RedisEngine redis) {
        AtomicReference<StoreVitals> told = new AtomicReference<>();
        Await.until("figures", PATIENCE, () -> {
            redis.vitals()
                    .toCompletableFuture()
                    .handle((vitals, failure) -> {
                        told.set(vitals);
                        return true;
                    })
                    .join();
            return told.get() != null;
        });
        return told.get();
    }
}
