package io.sluice.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.core.decorator.FallbackEngine;
import io.sluice.core.limit.Limit;
import io.sluice.core.limit.Rate;
import io.sluice.core.spi.Answer;
import io.sluice.core.spi.Ask;
import io.sluice.core.spi.Demand;
import io.sluice.core.spi.Engine;
import io.sluice.core.spi.EngineDecision;
import io.sluice.core.spi.FailurePolicy;
import io.sluice.core.spi.PendingOutcome;
import io.sluice.core.time.Clock;
import io.sluice.redis.internal.link.RedisOptions;
import io.sluice.testkit.redis.RedisSentinels;
import io.sluice.testkit.redis.RedisServer;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;

/** Three Sentinels, a primary and replicas: the current primary decides, and a new primary knows what the old one knew. */
final class SentinelTest {

    private static final Limit TEN =
            Limit.named("ten").tokenBucket(Rate.perDay(1)).withBurst(10);

    @Test
    void followsThePrimaryWhenItIsDemotedAndWhenItDies() throws Exception {
        try (RedisSentinels sentinels = RedisSentinels.start(2);
                RedisEngine redis = RedisEngine.connect(
                        sentinels.uri(),
                        "p",
                        Clock.system(),
                        RedisOptions.defaults().slow(Duration.ofMinutes(1)));
                FallbackEngine engine = new FallbackEngine(redis, Clock.system())) {
            redis.ready().toCompletableFuture().get(60, TimeUnit.SECONDS);
            assertThat(passes(engine)).isEqualTo("by redis: true, 9 left");
            sentinels.awaitReplication();

            // It lives on and answers, as a replica.
            RedisServer first = sentinels.primary();
            RedisServer second = sentinels.failOver();
            assertThat(second.port()).isNotEqualTo(first.port());
            awaitDecisionsByRedis(engine);
            assertThat(passes(engine)).isEqualTo("by redis: true, 8 left");
            sentinels.awaitReplication();

            sentinels.killPrimary();
            assertThat(passes(engine)).startsWith("by ");
            sentinels.awaitFailover();
            awaitDecisionsByRedis(engine);
            assertThat(passes(engine)).isEqualTo("by redis: true, 7 left");
        }
    }

    private static void awaitDecisionsByRedis(Engine engine) {
        Awaitility.await()
                .atMost(Duration.ofMinutes(1))
                .pollInterval(Duration.ofMillis(20))
                .until(() -> decided(
                                        engine,
                                        Ask.charging(List.of(Demand.of(TEN, "other", 1)))
                                                .looking())
                                .degraded()
                        == null);
    }

    private static String passes(Engine engine) {
        EngineDecision decided = decided(engine, Ask.charging(List.of(Demand.of(TEN, "k", 1))));
        return "by " + (decided.degraded() == null ? "redis" : decided.degraded()) + ": " + decided.allowed() + ", "
                + decided.verdicts().get(0).remaining() + " left";
    }

    private static EngineDecision decided(Engine engine, Ask ask) {
        Answer answer = engine.decide(ask.onFailure(FailurePolicy.CLOSED, 0.5)
                .dueAt(Clock.system().nanoTime() + TimeUnit.MINUTES.toNanos(1)));
        return (EngineDecision)
                (answer instanceof PendingOutcome pending
                        ? pending.outcome()
                                .toCompletableFuture()
                                .orTimeout(60, TimeUnit.SECONDS)
                                .join()
                        : answer);
    }
}
