package io.sluice.testkit.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.HashSet;
import java.util.Set;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

final class RedisClusterTest {

    private static RedisCluster cluster;

    @BeforeAll
    static void start() {
        cluster = RedisCluster.start();
    }

    @AfterAll
    static void stop() {
        cluster.close();
    }

    @Test
    void hasThreePrimariesWithAReplicaEach() {
        assertThat(cluster.uri()).matches("redis-cluster://127.0.0.1:\\d+(,127.0.0.1:\\d+){5}");
        assertThat(cluster.nodes()).hasSize(6);
        Set<RedisServer> owners = new HashSet<>();
        for (int slot : new int[] {0, 5_000, 8_000, 11_000, 16_383}) {
            owners.add(cluster.ownerOf(slot));
            assertThat(cluster.replicasOf(slot)).hasSize(1);
        }
        assertThat(owners).hasSize(3).containsExactlyInAnyOrderElementsOf(cluster.primaries());
        assertThatThrownBy(() -> cluster.ownerOf(16_384)).hasMessage("slot: 16384 (expected: 0..16383)");
    }

    @Test
    void knowsTheSlotsOfKeysAsRedisDoes() {
        for (String key :
                new String[] {"", "a", "123456789", "{tag}x", "x{tag}", "{}x", "x{", "{{a}}b", "a}{b}", "ä{ö}", "{a}{b}"
                }) {
            assertThat((long) RedisCluster.slotOf(key))
                    .as(key)
                    .isEqualTo(cluster.nodes()
                            .get(0)
                            .command("CLUSTER", "KEYSLOT", key)
                            .number());
        }
    }

    @Test
    void movesASlotWithItsKeys() {
        int slot = RedisCluster.slotOf("{moved}");
        RedisServer from = cluster.ownerOf(slot);
        RedisServer to = anotherPrimary(slot);
        for (int i = 0; i < 250; i++) {
            from.command("SET", "{moved}" + i, "v" + i);
        }
        from.command("EVAL", "redis.call('SET', KEYS[1] .. '\\255\\0\\r\\n', 'bytes')", "1", "{moved}");

        cluster.moveSlot(slot, to);

        assertThat(cluster.ownerOf(slot)).isSameAs(to);
        assertThat(to.command("GET", "{moved}249").text()).isEqualTo("v249");
        assertThat(to.command("CLUSTER", "COUNTKEYSINSLOT", Integer.toString(slot))
                        .number())
                .isEqualTo(251);
        assertThat(from.command("GET", "{moved}0").error()).isEqualTo("MOVED " + slot + " 127.0.0.1:" + to.port());
    }

    @Test
    void redirectsWithAskWhileASlotMoves() {
        int slot = RedisCluster.slotOf("{asked}");
        cluster.ownerOf(slot).command("SET", "{asked}a", "1");
        cluster.ownerOf(slot).command("SET", "{asked}b", "2");
        SlotMove move = cluster.beginMove(slot, anotherPrimary(slot));
        move.migrateKeys("{asked}a");

        String ask = "ASK " + slot + " 127.0.0.1:" + move.to().port();
        assertThat(move.from().command("GET", "{asked}b").text()).isEqualTo("2");
        assertThat(move.from().command("GET", "{asked}a").error()).isEqualTo(ask);
        assertThat(move.from().command("MGET", "{asked}a", "{asked}b").error()).startsWith("TRYAGAIN");
        assertThat(move.from().command("SET", "{asked}new", "3").error()).isEqualTo(ask);
        assertThat(move.to().command("GET", "{asked}a").error()).startsWith("MOVED");
        assertThatThrownBy(() -> move.migrateKeys("{asked}none")).hasMessageContaining("NOKEY");
        try (RedisConnection asking = move.to().connect()) {
            asking.command("ASKING");
            assertThat(asking.command("GET", "{asked}a").text()).isEqualTo("1");
            asking.command("ASKING");
            assertThat(asking.command("MGET", "{asked}a", "{asked}b").error()).startsWith("TRYAGAIN");
        }

        move.migrateAllKeys();
        move.finish();
        cluster.awaitOk();
        assertThat(move.to().command("MGET", "{asked}a", "{asked}b").texts()).containsExactly("1", "2");
    }

    @Test
    void leavesASlotWhereItWasWhenAMoveIsGivenUp() {
        int slot = RedisCluster.slotOf("{given-up}");
        SlotMove move = cluster.beginMove(slot, anotherPrimary(slot));
        assertThat(move.from().command("GET", "{given-up}").error()).startsWith("ASK");
        move.abandon();
        assertThat(move.from().command("GET", "{given-up}")).isEqualTo(new RedisReply.Nothing());
        assertThatThrownBy(() -> cluster.beginMove(slot, move.from())).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void replacesADeadPrimaryWithoutItsLastWritesAndTakesItBack() {
        int slot = RedisCluster.slotOf("lost");
        RedisServer old = cluster.ownerOf(slot);
        old.command("SET", "lost", "1");
        cluster.awaitReplicationOf(slot);
        cluster.stopReplicationOf(slot);
        old.command("SET", "lost", "2");

        assertThat(cluster.killPrimaryOf(slot)).isSameAs(old);
        RedisServer next = cluster.awaitFailover(slot);

        assertThat(next).isNotSameAs(old);
        assertThat(next.command("GET", "lost").text()).isEqualTo("1");
        old.restart();
        cluster.awaitOk();
        assertThat(cluster.replicasOf(slot)).containsExactly(old);

        assertThat(cluster.failOver(slot)).isSameAs(old);
        assertThat(old.command("GET", "lost").text()).isEqualTo("1");
        assertThat(next.command("SET", "lost", "3").error()).startsWith("MOVED");
    }

    private static RedisServer anotherPrimary(int slot) {
        RedisServer owner = cluster.ownerOf(slot);
        return cluster.primaries().stream()
                .filter(node -> node != owner)
                .findFirst()
                .orElseThrow();
    }
}
