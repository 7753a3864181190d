package io.sluice.rules.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.core.time.Clock;
import io.sluice.rules.model.Rule;
import io.sluice.rules.source.RuleFollower;
import io.sluice.rules.source.RuleVet;
import io.sluice.testkit.redis.RedisCluster;
import io.sluice.testkit.redis.RedisSentinels;
import java.time.Duration;
import java.util.Optional;
import org.awaitility.Awaitility;
import org.awaitility.core.ThrowingRunnable;
import org.junit.jupiter.api.Test;

/** Rules whose keys are on several servers, or move from one server to another. */
class TopologiesTest {

    @Test
    void releasesAndHashesOnAClusterOverAFailover() throws Exception {
        try (RedisCluster cluster = RedisCluster.start();
                RuleFollower source = open(cluster.uri());
                RedisRulePublisher publisher = RedisRulePublisher.connect(cluster.uri())) {
            for (int i = 0; i < 8; i++) {
                hash(cluster, "s" + i);
            }
            within(() -> assertThat(source.latest().rules().stream().map(Rule::id))
                    .containsExactly("s0", "s1", "s2", "s3", "s4", "s5", "s6", "s7"));
            assertThat(publisher.release(Sets.of(1, 8)).trouble()).isEmpty();
            within(() -> assertThat(source.latest().rules()).isEqualTo(Sets.of(1, 8)));
            int slot = RedisCluster.slotOf(RuleStore.VERSION);
            cluster.awaitReplicationOf(slot);
            cluster.killPrimaryOf(slot);
            cluster.awaitFailover(slot);
            assertThat(released(publisher, 2).trouble()).isEmpty();
            within(() -> assertThat(source.latest().rules()).isEqualTo(Sets.of(2, 8)));
        }
    }

    @Test
    void followsTheSentinels() throws Exception {
        try (RedisSentinels sentinels = RedisSentinels.start(1);
                RuleFollower source = open(sentinels.uri());
                RedisRulePublisher publisher = RedisRulePublisher.connect(sentinels.uri())) {
            assertThat(publisher.release(Sets.of(1, 2)).trouble()).isEmpty();
            within(() -> assertThat(source.latest().rules()).isEqualTo(Sets.of(1, 2)));
            sentinels.awaitReplication();
            sentinels.failOver();
            assertThat(released(publisher, 2).trouble()).isEmpty();
            within(() -> assertThat(source.latest().rules()).isEqualTo(Sets.of(2, 8)));
        }
    }

    /** Releases rules, and retries if a failover broke the connection. */
    private static Release released(RedisRulePublisher publisher, int number) {
        Release[] done = new Release[1];
        within(() -> done[0] = publisher.release(Sets.of(number, 8)));
        return done[0];
    }

    private static RuleFollower open(String uri) {
        return RuleFollower.open(
                RedisDocuments.at(uri, "node", Clock.system()), Optional.empty(), RuleVet.NONE, Clock.system());
    }

    private static void hash(RedisCluster cluster, String service) {
        String key = "rate_limit_config:SERVICE:" + service;
        Sets.hash(cluster.ownerOf(RedisCluster.slotOf(key)), Sets.flat(service, "SERVICE", service, 5));
    }

    private static void within(ThrowingRunnable what) {
        Awaitility.await()
                .atMost(Duration.ofMinutes(1))
                .pollInterval(Duration.ofMillis(20))
                .ignoreExceptions()
                .untilAsserted(what);
    }
}
