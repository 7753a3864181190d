package io.sluice.testkit.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

final class RedisSentinelsTest {

    @Test
    void replacesADeadPrimaryAndTakesItBackAsAReplica() {
        try (RedisSentinels redis = RedisSentinels.start(2)) {
            RedisServer old = redis.primary();
            old.command("SET", "k", "v");
            redis.awaitReplication();

            assertThat(redis.killPrimary()).isSameAs(old);
            RedisServer next = redis.awaitFailover();

            assertThat(next).isNotSameAs(old).isSameAs(redis.primary());
            assertThat(redis.replicas()).hasSize(2).contains(old).doesNotContain(next);
            assertThat(next.command("GET", "k").text()).isEqualTo("v");
            assertThat(next.command("SET", "k", "w").text()).isEqualTo("OK");

            old.restart();
            redis.awaitReplicas();
            assertThat(old.command("GET", "k").text()).isEqualTo("w");
            assertThat(old.command("SET", "k", "x").error()).startsWith("READONLY");
        }
    }

    @Test
    void losesWritesThatWereNotReplicatedWhenThePrimaryDied() {
        try (RedisSentinels redis = RedisSentinels.start(1, "--requirepass", "secret")) {
            assertThat(redis.uri())
                    .matches("redis-sentinel://:secret@127.0.0.1:\\d+,127.0.0.1:\\d+,127.0.0.1:\\d+/0#main");
            RedisServer old = redis.primary();
            old.command("SET", "k", "1");
            redis.awaitReplication();
            redis.stopReplication();
            old.command("SET", "k", "2");

            redis.killPrimary();
            RedisServer next = redis.awaitFailover();

            assertThat(next.command("GET", "k").text()).isEqualTo("1");
            assertThat(next.command("INCR", "k").number()).isEqualTo(2);
        }
    }

    @Test
    void catchesUpWhenReplicationGoesOnAndTakesOverWhenAsked() {
        try (RedisSentinels redis = RedisSentinels.start(1)) {
            redis.stopReplication();
            try (RedisConnection connection = redis.primary().connect()) {
                connection.command("SET", "k", "v");
                assertThat(connection.command("WAIT", "1", "100").number()).isZero();
            }
            RedisServer replica = redis.replicas().get(0);
            assertThat(replica.command("GET", "k")).isEqualTo(new RedisReply.Nothing());
            redis.resumeReplication();
            redis.awaitReplication();
            assertThat(replica.command("GET", "k").text()).isEqualTo("v");

            RedisServer old = redis.primary();
            assertThat(redis.failOver()).isSameAs(replica).isSameAs(redis.primary());
            assertThat(old.command("SET", "k", "x").error()).startsWith("READONLY");
        }
    }

    @Test
    void leavesNoProcess() {
        RedisSentinels redis = RedisSentinels.start(1);
        long[] pids = Stream.concat(redis.servers().stream(), redis.sentinels().stream())
                .mapToLong(server -> Long.parseLong(server.info("process_id")))
                .toArray();
        assertThat(pids).hasSize(5);
        redis.close();
        for (long pid : pids) {
            assertThat(ProcessHandle.of(pid)).isEmpty();
        }
    }

    @Test
    void needsAReplica() {
        assertThatThrownBy(() -> RedisSentinels.start(0)).hasMessage("replicas: 0 (expected: 1 or more)");
    }
}
