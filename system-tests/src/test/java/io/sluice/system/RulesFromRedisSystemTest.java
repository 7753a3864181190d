package io.sluice.system;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.testkit.redis.RedisServer;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;

/** Tests rules of the founding form, written with {@code redis-cli}, on a node whose only setting is a Redis. */
final class RulesFromRedisSystemTest {

    private static final String CHECK = """
            {"attributes": {"service": "shop", "path": "/buy", "method": "POST", "user": "u1"}}""";

    @Test
    void enforcesAHashWithAndWithoutAMessage() throws Exception {
        RedisServer redis = RedisServer.shared();
        try (SluiceProcess node = SluiceProcess.run("node", "--api-port", "0", "--redis", redis.uri())) {
            Awaitility.await().atMost(300, TimeUnit.SECONDS).untilAsserted(() -> assertThat(
                            node.get("/health").statusCode())
                    .isEqualTo(200));
            assertThat(node.post(CHECK).statusCode()).isEqualTo(200);
            assertThat(node.printed()).contains("no rules in Redis");

            limit(redis, 0);
            cli(redis, "PUBLISH", "rate-limit-config-update", "RELOAD_ALL");
            becomes(node, 429);

            limit(redis, 1_000_000);
            becomes(node, 200);
            assertThat(node.stop()).isZero();
        }
    }

    /** Waits for a status. The tests of the source, which have a manual clock, and the benchmarks check how long that takes. */
    private static void becomes(SluiceProcess node, int status) {
        Awaitility.await()
                .atMost(300, TimeUnit.SECONDS)
                .pollInterval(Duration.ofMillis(50))
                .until(() -> node.post(CHECK).statusCode() == status);
    }

    private static void limit(RedisServer redis, int count) throws Exception {
        cli(
                redis,
                "HSET",
                "rate_limit_config:INTERFACE:shop:/buy",
                "id",
                "buy",
                "limitType",
                "INTERFACE",
                "limitTarget",
                "shop:/buy",
                "limitCount",
                Integer.toString(count),
                "timeWindow",
                "60",
                "strategy",
                "TOKEN_BUCKET");
    }

    private static void cli(RedisServer redis, String... command) throws Exception {
        String[] line = new String[command.length + 3];
        line[0] = "redis-cli";
        line[1] = "-p";
        line[2] = Integer.toString(redis.port());
        System.arraycopy(command, 0, line, 3, command.length);
        Process process = new ProcessBuilder(line).redirectErrorStream(true).start();
        assertThat(process.waitFor()).isZero();
    }
}
