package io.sluice.replay.imports.peers;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.replay.imports.ImportKind;
import io.sluice.testkit.SeededRandom;
import io.sluice.testkit.redis.RedisConnection;
import io.sluice.testkit.redis.RedisServer;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.Objects;
import org.junit.jupiter.api.Test;

/** The imported rule beside the script of Spring Cloud Gateway's limiter on a real Redis. The script takes the time as an argument. */
class SpringGatewayPeerTest {

    private static final long START_MILLIS = 1_790_000_000_400L;

    private static final String ROUTE = """
            spring.cloud.gateway.server.webflux:
              routes:
                - id: orders
                  uri: http://localhost:9001
                  predicates: [Path=/orders/**]
                  filters:
                    - name: RequestRateLimiter
                      args:
                        redis-rate-limiter.replenishRate: 5
                        redis-rate-limiter.burstCapacity: 600
            """;

    @Test
    void differsByNoMoreThanTheWarningSays() throws IOException {
        SeededRandom random = SeededRandom.of("SpringGatewayPeerTest");
        ImportedLimit imported =
                new ImportedLimit(ImportKind.SPRING_CLOUD_GATEWAY, "application.yml", ROUTE, START_MILLIS * 1_000);
        SpanDifference difference = new SpanDifference(1_000);
        try (RedisConnection redis = RedisServer.shared().connect()) {
            String script = script();
            // The counts last for 240 s of real time, far longer than this run.
            for (long millis : Arrivals.millis(random, START_MILLIS, 6_000, 60)) {
                long allowed = redis.command(
                                "EVAL",
                                script,
                                "2",
                                "{import.u}.tokens",
                                "{import.u}.timestamp",
                                "5",
                                "600",
                                Long.toString(millis / 1_000),
                                "1")
                        .list()
                        .get(0)
                        .number();
                difference.add(millis, allowed == 1, imported.allows("u", millis * 1_000));
            }
        }
        // A pause long enough to fill the count again does not occur.
        assertThat(difference.mostInTotal()).isLessThanOrEqualTo(5);
        assertThat(difference.refused()).as("the arrivals exceed the limit").isPositive();
    }

    private static String script() throws IOException {
        try (InputStream in = SpringGatewayPeerTest.class
                .getClassLoader()
                .getResourceAsStream("META-INF/scripts/request_rate_limiter.lua")) {
            return new String(Objects.requireNonNull(in).readAllBytes(), StandardCharsets.UTF_8);
        }
    }
}
