package io.sluice.rules.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.testkit.redis.FaultProxy;
import io.sluice.testkit.redis.RedisCluster;
import io.sluice.testkit.redis.RedisServer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class RedisFleetTest {

    /** Longer than any test takes. */
    private static final Duration LONG = Duration.ofHours(1);

    private static RedisServer redis;

    @BeforeAll
    static void start() {
        redis = RedisServer.shared();
    }

    @BeforeEach
    void empty() {
        redis.command("FLUSHALL");
    }

    @Test
    void writesTheReportForAWhileAndListsTheNode() {
        try (RedisFleet fleet = RedisFleet.at(redis.uri(), LONG)) {
            assertThat(fleet.exchange("n-1", "{\"beat\":1}")).isEmpty();
            assertThat(fleet.exchange("n-1", "{\"beat\":2}")).isEmpty();
        }
        assertThat(text("GET", "rate_limit_node:n-1")).isEqualTo("{\"beat\":2}");
        assertThat(redis.command("SMEMBERS", "rate_limit_nodes").texts()).containsExactly("n-1");
        assertThat(redis.command("PTTL", "rate_limit_node:n-1").number()).isBetween(1L, LONG.toMillis());
    }

    @Test
    void returnsWhatTheCenterTells() {
        redis.command("SET", "rate_limit_fleet", "{\"nodes\":3}");
        try (RedisFleet fleet = RedisFleet.at(redis.uri())) {
            assertThat(fleet.exchange("n-1", "{}")).contains("{\"nodes\":3}");
        }
    }

    @Test
    void neverReadsAnEndlessText() {
        redis.command("SET", "rate_limit_fleet", "x".repeat(1_000_000));
        try (RedisFleet fleet = RedisFleet.at(redis.uri())) {
            assertThat(fleet.exchange("n-1", "{}").orElseThrow().length()).isLessThan(200_000);
        }
    }

    @Test
    void connectsAgainAfterALostConnection() {
        try (FaultProxy proxy = FaultProxy.before(redis);
                RedisFleet fleet = RedisFleet.at(proxy.uri(), LONG)) {
            assertThat(fleet.exchange("n-1", "{}")).isEmpty();
            proxy.stopListening();
            proxy.cut();
            assertThatThrownBy(() -> fleet.exchange("n-1", "{}")).isInstanceOf(RuntimeException.class);
            assertThatThrownBy(() -> fleet.exchange("n-1", "{}")).isInstanceOf(RuntimeException.class);
            proxy.listen();
            assertThat(fleet.exchange("n-1", "back")).isEmpty();
        }
        assertThat(text("GET", "rate_limit_node:n-1")).isEqualTo("back");
    }

    @Test
    void saysThatRedisRefusesACommand() {
        try (FaultProxy proxy = FaultProxy.before(redis);
                RedisFleet fleet = RedisFleet.at(proxy.uri(), LONG)) {
            proxy.answer("NOPERM no permissions", "SADD");
            assertThatThrownBy(() -> fleet.exchange("n-1", "{}"))
                    .isInstanceOf(RedisFleet.RefusedException.class)
                    .hasMessage("NOPERM no permissions");
            proxy.resume();
            assertThat(fleet.exchange("n-1", "{}")).isEmpty();
        }
    }

    @Test
    void worksOnAClusterWithKeysOnSeveralServers() {
        try (RedisCluster cluster = RedisCluster.start();
                RedisFleet fleet = RedisFleet.at(cluster.uri())) {
            for (int i = 0; i < 20; i++) {
                assertThat(fleet.exchange("n-" + i, "{}")).isEmpty();
            }
            String key = "rate_limit_nodes";
            assertThat(cluster.ownerOf(RedisCluster.slotOf(key))
                            .command("SCARD", key)
                            .number())
                    .isEqualTo(20);
        }
    }

    /** F27: whatever something else makes of the keys, they are right again after the next turn of the center and of the node. */
    @Test
    void everyKeyThatIsLostOrWrongIsWrittenAgain() {
        List<String> keys = List.of(RedisFleet.REPORT + "n-1", RedisFleet.NODES, RedisFleet.FLEET);
        List<List<String>> damages = List.of(
                List.of("DEL"),
                List.of("SET", ""),
                List.of("SET", "garbage"),
                List.of("RPUSH", "x"),
                List.of("HSET", "x", "y"));
        try (RedisFleet node = RedisFleet.at(redis.uri(), LONG);
                RedisFleet center = RedisFleet.at(redis.uri(), LONG)) {
            center.lead(1);
            for (List<String> damage : damages) {
                keys.forEach(key -> assertRepaired(node, center, damage, List.of(key)));
                assertRepaired(node, center, damage, keys);
            }
        }
    }

    private static void assertRepaired(RedisFleet node, RedisFleet center, List<String> damage, List<String> keys) {
        for (String key : keys) {
            redis.command("DEL", key);
            List<String> command = new ArrayList<>(damage);
            command.add(1, key);
            redis.command(command.toArray(String[]::new));
        }
        try {
            node.exchange("n-1", "during");
        } catch (RedisFleet.RefusedException e) {
            assertThat(keys).as(e.getMessage()).contains(RedisFleet.NODES);
        }
        Map<String, String> unused = center.reports();
        center.tell("{}");
        assertThat(node.exchange("n-1", "after")).as("%s %s", damage, keys).contains("{}");
        assertThat(center.reports()).as("%s %s", damage, keys).isEqualTo(Map.of("n-1", "after"));
    }

    /** The permissions in docs/reference/rules-in-redis.md. */
    @Test
    void needsNoPermissionToWriteRules() {
        try (RedisServer strict = RedisServer.start()) {
            String acl = "ACL SETUSER node on >secret resetchannels resetkeys ~rate_limit_config* -@all +hello +auth"
                    + " +ping (~rate_limit_node:* ~rate_limit_nodes +set +sadd) (~rate_limit_fleet +getrange)";
            assertThat(strict.command(acl.split(" ", -1)).text()).isEqualTo("OK");
            strict.command("SET", "rate_limit_fleet", "{}");
            try (RedisFleet fleet = RedisFleet.at("redis://node:secret@127.0.0.1:" + strict.port(), LONG)) {
                assertThat(fleet.exchange("n-1", "{}")).contains("{}");
            }
            String dryRun = "ACL DRYRUN node SET rate_limit_config_version 1";
            assertThat(strict.command(dryRun.split(" ", -1)).text()).isNotEqualTo("OK");
        }
    }

    @Test
    void refusesABadAddressWithoutRepeatingIt() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> RedisFleet.at("http://:secret@x"))
                .withMessageNotContaining("secret");
    }

    private static String text(String... command) {
        return redis.command(command).text();
    }
}
