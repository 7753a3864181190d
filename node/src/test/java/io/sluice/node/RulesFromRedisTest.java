package io.sluice.node;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.sluice.node.config.NodeConfig;
import io.sluice.node.config.NodeConfig.RulesFrom;
import io.sluice.node.config.StartFailedException;
import io.sluice.runtime.Store;
import io.sluice.testkit.redis.FaultProxy;
import io.sluice.testkit.redis.RedisServer;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(300)
class RulesFromRedisTest {

    private static final String CHECK = "{\"attributes\": {\"user\": \"u1\"}}";

    private static RedisServer redis;

    @TempDir
    private Path data;

    @BeforeAll
    static void start() {
        redis = RedisServer.shared();
    }

    @BeforeEach
    void write() {
        redis.command("FLUSHALL");
    }

    @Test
    void rulesComeFromTheHashes() throws Exception {
        hash("users", "LOCAL", 2);
        try (RunningNode node = RunningNode.onRedis(config(redis.uri()))) {
            await().until(() -> node.node.rules().rules().size() == 1);
            assertThat(node.check(CHECK).statusCode()).isEqualTo(200);
            assertThat(node.check(CHECK).statusCode()).isEqualTo(200);
            assertThat(node.check(CHECK).statusCode()).isEqualTo(429);
            await().untilAsserted(() -> assertThat(node.get("/health").body())
                    .contains("\"rules\":1,\"rule_version\":1", "\"findings\":[]"));
        }
    }

    /** The rule has the default deadline, so decisions that a busy machine makes without Redis are not counted here. */
    @Test
    void aHashForAllNodesIsCountedInRedis() throws Exception {
        hash("users", "DISTRIBUTED", 2);
        try (RunningNode node = RunningNode.onRedis(config(redis.uri()))) {
            await().until(() -> node.node.rules().rules().size() == 1);
            int allowedByRedis = 0;
            for (int i = 0; i < 10; i++) {
                HttpResponse<String> answer = node.check(CHECK);
                assertThat(answer.body()).contains("\"mode\":\"distributed\"");
                allowedByRedis += answer.statusCode() == 200 && answer.body().contains("\"degraded\":null") ? 1 : 0;
            }
            assertThat(allowedByRedis).isLessThanOrEqualTo(2);
            assertThat(redis.command("KEYS", "rate_limit:users:*").texts()).hasSize(1);
        }
    }

    @Test
    void reportsThatThereAreNoRulesAndFindsThemLater() throws Exception {
        try (RunningNode node = RunningNode.start(config(redis.uri()), Store::redis)) {
            assertThat(node.get("/health").statusCode()).isEqualTo(200);
            assertThat(node.get("/health").body()).contains("there are no rules: every request is allowed");
            assertThat(node.check(CHECK).statusCode()).isEqualTo(200);
            hash("users", "DISTRIBUTED", 0);
            await().atMost(Duration.ofSeconds(60)).until(() -> node.check(CHECK).statusCode() == 429);
            assertThat(node.get("/health").body()).contains("\"findings\":[]");
        }
    }

    /** F23. {@code ./sluice bench faults} measures how soon the node is ready. */
    @Test
    void aNodeIsReadyWithoutRedisAndWithTheRulesOfTheLastRun() throws Exception {
        hash("users", "LOCAL", 0);
        try (FaultProxy proxy = FaultProxy.before(redis)) {
            try (RunningNode node = RunningNode.start(config(proxy.uri()).withData(data), Store::redis)) {
                assertThat(node.check(CHECK).statusCode()).isEqualTo(429);
                await().until(() -> Files.exists(data.resolve("kept-rules.json")));
            }
            String id = Files.readString(data.resolve("node-id"));
            proxy.stopListening();
            proxy.cut();
            ready(config(proxy.uri()).withData(data));
            proxy.resume();
            proxy.silence();
            ready(config(proxy.uri()).withData(data));
            assertThat(Files.readString(data.resolve("node-id"))).isEqualTo(id);
        }
    }

    private static void ready(NodeConfig config) throws Exception {
        try (RunningNode node = RunningNode.start(config, Store::redis)) {
            assertThat(node.get("/health").statusCode()).isEqualTo(200);
            assertThat(node.check(CHECK).statusCode()).isEqualTo(429);
            assertThat(node.node.hasKeptRules()).isTrue();
            assertThat(node.get("/health").body()).contains("rules cannot be read from Redis: ");
        }
    }

    @Test
    void aNodeIsReadyWithoutRedisAndWithoutRules() throws Exception {
        try (RunningNode node = RunningNode.start(config("redis://127.0.0.1:1"), Store::redis)) {
            assertThat(node.get("/health").statusCode()).isEqualTo(200);
            assertThat(node.get("/health").body())
                    .contains("rules cannot be read from Redis: ", "there are no rules: every request is allowed");
        }
    }

    @Test
    void theDefaultLimitAppliesUntilRulesAreRead() throws Exception {
        hash("users", "LOCAL", 5);
        try (FaultProxy proxy = FaultProxy.before(redis)) {
            proxy.stopListening();
            proxy.cut();
            NodeConfig config = config(proxy.uri()).withDefaultLimit("1/d");
            try (RunningNode node = RunningNode.start(config, Store::redis)) {
                String check = "{\"attributes\": {\"user\": \"u-1\", \"ip\": \"192.0.2.1\"}}";
                assertThat(node.check(check).body()).contains("\"rule\":\"default-limit\"", "\"degraded\":null");
                assertThat(node.check(check).statusCode()).isEqualTo(429);
                assertThat(node.get("/health").statusCode()).isEqualTo(200);
                assertThat(node.get("/health").body())
                        .contains("there are no rules: the default limit of 1/d per address applies");
                assertThat(node.get("/v1/rules").body()).contains("\"version\":0", "\"id\":\"default-limit\"");

                proxy.resume();
                await().until(() -> node.check(check).body().contains("\"rule\":\"users\""));
                await().until(() -> !node.get("/health").body().contains("default limit"));
                assertThat(node.get("/v1/rules").body())
                        .contains("\"version\":1")
                        .doesNotContain("default-limit");
            }
        }
    }

    @Test
    void theDefaultLimitDoesNotReplaceKeptRulesOrRules() throws Exception {
        hash("users", "LOCAL", 0);
        try (FaultProxy proxy = FaultProxy.before(redis)) {
            NodeConfig config = config(proxy.uri()).withData(data).withDefaultLimit("1/d");
            try (RunningNode node = RunningNode.start(config, Store::redis)) {
                await().until(() -> node.check(CHECK).body().contains("\"rule\":\"users\""));
                await().until(() -> Files.exists(data.resolve("kept-rules.json")));
            }
            proxy.stopListening();
            proxy.cut();
            try (RunningNode node = RunningNode.start(config, Store::redis)) {
                assertThat(node.check(CHECK).body()).contains("\"rule\":\"users\"");
                assertThat(node.node.hasKeptRules()).isTrue();
                assertThat(node.node.standIn()).isEmpty();
            }
        }
    }

    @Test
    void badInitialRulesAreRefusedUnlessOlderOnesAreKept() throws Exception {
        hash("users", "NONSENSE", 2);
        assertThatThrownBy(() -> Node.start(config(redis.uri()).withData(data)))
                .isInstanceOfSatisfying(StartFailedException.class, e -> assertThat(e.details())
                        .containsExactly("rate_limit_config:USER:*: mode: \"NONSENSE\" (expected: DISTRIBUTED,"
                                + " LOCAL_DISTRIBUTED or LOCAL)"));
        hash("users", "LOCAL", 0);
        RunningNode.start(config(redis.uri()).withData(data), Store::redis).close();
        hash("users", "NONSENSE", 2);
        try (RunningNode node = RunningNode.start(config(redis.uri()).withData(data), Store::redis)) {
            assertThat(node.check(CHECK).statusCode()).isEqualTo(429);
            assertThat(node.get("/health").body()).contains("rules in Redis were refused: rate_limit_config:USER:*");
        }
    }

    @Test
    void aHashThatIsBrokenNowIsAFindingUntilItIsRepaired() throws Exception {
        hash("users", "LOCAL", 0);
        try (RunningNode node = RunningNode.start(config(redis.uri()).withData(data), Store::redis)) {
            hash("users", "NONSENSE", 2);
            await().until(() -> node.get("/health")
                    .body()
                    .contains("rules in Redis were refused: rate_limit_config:USER:*: mode: \\\"NONSENSE"));
            assertThat(node.get("/health").statusCode()).isEqualTo(200);
            assertThat(node.check(CHECK).statusCode()).isEqualTo(429);

            hash("users", "LOCAL", 0);
            await().until(() -> node.get("/health").body().contains("\"findings\":[]"));
        }
    }

    @Test
    void rulesWithKeyedHashesNeedAKey() {
        redis.command(
                "HSET",
                "rate_limit_config:USER:*",
                "document",
                "{\"id\":\"h\",\"limits\":[{\"by\":\"user\",\"privacy\":\"hash\",\"limit\":1,\"window\":\"1s\"}]}");
        assertThatThrownBy(() -> Node.start(config(redis.uri())))
                .isInstanceOfSatisfying(
                        StartFailedException.class,
                        e -> assertThat(e.details().toString()).contains("hash key: none"));
    }

    @Test
    void anInvalidAddressIsRefusedWithoutItsPassword() {
        assertThatThrownBy(() -> config("redis://:secret@[broken"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageStartingWith("redis: \"redis://***@[broken\"")
                .hasMessageNotContaining("secret");
        assertThatThrownBy(() -> NodeConfig.inProcess(new RulesFrom.Store(), 0))
                .hasMessage("redis: none (expected: a URI, because the rules come from Redis)");
    }

    private static NodeConfig config(String uri) {
        return NodeConfig.inProcess(new RulesFrom.Nowhere(), 0).withRedis(uri).withRules(new RulesFrom.Store());
    }

    private static void hash(String id, String mode, int count) {
        redis.command(
                "HSET",
                "rate_limit_config:USER:*",
                "id",
                id,
                "limitType",
                "USER",
                "limitTarget",
                "*",
                "limitCount",
                Integer.toString(count),
                "timeWindow",
                "3600",
                "strategy",
                "SLIDING_LOG",
                "mode",
                mode);
    }
}
