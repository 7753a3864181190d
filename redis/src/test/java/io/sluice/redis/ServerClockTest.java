package io.sluice.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.core.limit.Limit;
import io.sluice.core.limit.Rate;
import io.sluice.core.spi.Ask;
import io.sluice.core.spi.Demand;
import io.sluice.core.spi.EngineDecision;
import io.sluice.core.spi.PendingOutcome;
import io.sluice.core.time.Clock;
import io.sluice.redis.internal.link.RedisOptions;
import io.sluice.testkit.redis.RedisServer;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The server's clock jumps, as it does when another host takes over. */
final class ServerClockTest {

    private static final long NOW = 1_790_000_000_000_000L;
    private static final long BURST = 20;
    private static final List<Limit> LIMITS = List.of(
            Limit.named("bucket").tokenBucket(Rate.perMinute(10)).withBurst(BURST),
            Limit.named("leaky").leakyBucket(Rate.perMinute(10)).withCapacity(BURST - 1),
            Limit.named("window").fixedWindow(BURST, Duration.ofMinutes(2)),
            Limit.named("sliding").slidingWindow(BURST, Duration.ofMinutes(2)),
            Limit.named("estimate").slidingWindow(BURST, Duration.ofMinutes(2)).asEstimate(),
            Limit.named("log").slidingLog(BURST, Duration.ofMinutes(2)));

    @ParameterizedTest
    @ValueSource(longs = {30, -60, -1, 3_600, -3_600})
    void grantsAtMostOneBurstMoreAndKeepsNobodyWithRoomWaiting(long seconds) throws Exception {
        AtomicLong micros = new AtomicLong(NOW);
        RedisServer server = RedisServer.shared();
        try (RedisEngine engine = RedisEngine.onTime(
                server.uri(),
                "p",
                Clock.system(),
                RedisOptions.defaults().slow(Duration.ofMinutes(1)),
                () -> Long.toString(micros.get()))) {
            engine.ready().toCompletableFuture().get(60, TimeUnit.SECONDS);
            for (Limit limit : LIMITS) {
                micros.set(NOW);
                // One key uses half of its limit, another uses all of it.
                for (long i = 0; i < BURST; i++) {
                    passes(engine, limit, "all");
                    if (i < BURST / 2) {
                        passes(engine, limit, "half");
                    }
                }
                micros.addAndGet(seconds * 1_000_000);
                assertThat(passesWithin(engine, limit, micros))
                        .as("%s: the key with room", limit)
                        .isTrue();
                long extra = 0;
                for (long i = 0; i < 3 * BURST; i++) {
                    extra += passes(engine, limit, "all") ? 1 : 0;
                }
                assertThat(extra).as("%s: the key without", limit).isLessThanOrEqualTo(BURST);
            }
        }
    }

    /** Now, or after the second for which a small step back is waited out. */
    private static boolean passesWithin(RedisEngine engine, Limit limit, AtomicLong micros) throws Exception {
        if (passes(engine, limit, "half")) {
            return true;
        }
        micros.addAndGet(1_000_000);
        return passes(engine, limit, "half");
    }

    private static boolean passes(RedisEngine engine, Limit limit, String key) throws Exception {
        Demand demand = Demand.of(limit, key, 1);
        PendingOutcome pending = (PendingOutcome) engine.decide(Ask.charging(List.of(demand)));
        return ((EngineDecision) pending.outcome().toCompletableFuture().get(60, TimeUnit.SECONDS)).allowed();
    }
}
