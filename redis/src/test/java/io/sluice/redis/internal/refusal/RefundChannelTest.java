package io.sluice.redis.internal.refusal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.lettuce.core.RedisClient;
import io.lettuce.core.api.StatefulRedisConnection;
import io.sluice.core.time.Clock;
import io.sluice.testkit.redis.RedisCluster;
import io.sluice.testkit.redis.RedisSentinels;
import io.sluice.testkit.redis.RedisServer;
import java.time.Duration;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;

final class RefundChannelTest {

    private static final Duration LONG = Duration.ofSeconds(60);

    private final Queue<String> eased = new ConcurrentLinkedQueue<>();
    private final AtomicInteger subscriptions = new AtomicInteger();

    @Test
    void receivesOnlyItsOwnPrefixWhateverItContains() {
        RedisServer server = RedisServer.shared();
        try (RefundChannel channel = open(server.uri(), "a*[b]?\\")) {
            Awaitility.await().atMost(Duration.ofMinutes(1)).until(channel::isHeard);
            publish(server, "a*[b]:k", "axb:k", "ab:k", "a*[b]?\\:käse", "a*[b]?\\:");
            Awaitility.await().atMost(Duration.ofMinutes(1)).until(() -> eased.size() >= 2);
            assertThat(eased).containsExactly("a*[b]?\\:käse", "a*[b]?\\:");
        }
    }

    @Test
    void isNotHeardWhileTheServerHangs() {
        try (RedisServer server = RedisServer.start();
                RefundChannel channel = open(server.uri(), "p")) {
            Awaitility.await().atMost(Duration.ofMinutes(1)).until(channel::isHeard);
            server.freeze();
            Awaitility.await().atMost(Duration.ofMinutes(1)).until(() -> !channel.isHeard());
            server.thaw();
            Awaitility.await().atMost(LONG).until(channel::isHeard);
            publish(server, "p:k");
            Awaitility.await().atMost(Duration.ofMinutes(1)).until(() -> eased.contains("p:k"));
        }
    }

    @Test
    void reportsPossibleLossOnEverySubscription() {
        try (RedisServer server = RedisServer.start();
                RefundChannel channel = open(server.uri(), "p")) {
            Awaitility.await().atMost(Duration.ofMinutes(1)).until(channel::isHeard);
            for (int times = 1; times <= 3; times++) {
                assertThat(subscriptions).hasValue(times);
                server.kill();
                Awaitility.await().atMost(Duration.ofMinutes(1)).until(() -> !channel.isHeard());
                server.restart();
                Awaitility.await().atMost(LONG).until(channel::isHeard);
            }
        }
    }

    @Test
    void receivesFromAnyClusterNodeThroughAnother() {
        RedisCluster cluster = RedisCluster.shared();
        try (RefundChannel channel = open(cluster.uri(), "p")) {
            Awaitility.await().atMost(LONG).until(channel::isHeard);
            List<RedisServer> nodes = cluster.primaries();
            for (int i = 0; i < nodes.size(); i++) {
                publish(nodes.get(i), "p:" + i);
            }
            Awaitility.await().atMost(Duration.ofMinutes(1)).until(() -> eased.size() == nodes.size());
        }
    }

    @Test
    void goesToTheNewPrimaryThatSentinelsName() {
        try (RedisSentinels sentinels = RedisSentinels.start(1);
                RefundChannel channel = open(sentinels.uri(), "p")) {
            Awaitility.await().atMost(LONG).until(channel::isHeard);
            sentinels.killPrimary();
            Awaitility.await().atMost(Duration.ofMinutes(1)).until(() -> !channel.isHeard());
            Awaitility.await().atMost(LONG).until(channel::isHeard);
            publish(sentinels.primary(), "p:k");
            Awaitility.await().atMost(LONG).until(() -> eased.contains("p:k"));
        }
    }

    @Test
    void isSilentOnceClosed() {
        RedisServer server = RedisServer.shared();
        RefundChannel channel = open(server.uri(), "p");
        Awaitility.await().atMost(Duration.ofMinutes(1)).until(channel::isHeard);
        channel.close();
        channel.close();
        assertThat(channel.isHeard()).isFalse();
    }

    @Test
    void rejectsAnInvalidUri() {
        assertThatThrownBy(() -> open("tcp://h:1", "p")).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> open("redis-cluster://a b", "p")).isInstanceOf(IllegalArgumentException.class);
    }

    private RefundChannel open(String uri, String prefix) {
        return RefundChannel.open(uri, prefix, Clock.system(), eased::add, subscriptions::incrementAndGet);
    }

    private static void publish(RedisServer server, String... channels) {
        RedisClient client = RedisClient.create(server.uri());
        try (StatefulRedisConnection<String, String> connection = client.connect()) {
            for (String channel : channels) {
                connection.sync().publish(channel, "");
            }
        } finally {
            client.shutdown(0, 1, TimeUnit.SECONDS);
        }
    }
}
