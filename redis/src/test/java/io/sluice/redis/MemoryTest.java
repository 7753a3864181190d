package io.sluice.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.lettuce.core.RedisClient;
import io.lettuce.core.api.sync.RedisCommands;
import io.sluice.core.limit.Limit;
import io.sluice.core.limit.Rate;
import io.sluice.core.spi.Ask;
import io.sluice.core.spi.Demand;
import io.sluice.core.spi.Outcome;
import io.sluice.core.spi.PendingOutcome;
import io.sluice.core.time.Clock;
import io.sluice.redis.internal.link.RedisOptions;
import io.sluice.redis.internal.wire.RedisKeys;
import io.sluice.testkit.redis.RedisServer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

/** How much Redis memory a count takes, by {@code MEMORY USAGE}. Prints the table of docs/reference/redis-keys.md. */
final class MemoryTest {

    private static final String KEY = "203.0.113.7";
    private static final Duration MINUTE = Duration.ofMinutes(1);
    private static final long NOW = 1_790_000_000_000_000L;

    private final AtomicLong now = new AtomicLong(NOW);

    @Test
    void takesNoMoreThanPromised() throws Exception {
        RedisServer server = RedisServer.shared();
        try (RedisEngine engine = RedisEngine.onTime(
                server.uri(),
                "rate_limit",
                Clock.system(),
                RedisOptions.defaults().slow(Duration.ofMinutes(1)),
                () -> Long.toString(now.get()))) {
            engine.ready().toCompletableFuture().get(60, TimeUnit.SECONDS);
            RedisClient client = RedisClient.create(server.uri());
            RedisCommands<String, String> redis = client.connect().sync();
            List<String> rows = new ArrayList<>();

            Limit bucket = Limit.named("api.0").tokenBucket(Rate.perSecond(50)).withBurst(100);
            long ofBucket = row(rows, engine, redis, bucket, 60, 20_011);
            row(
                    rows,
                    engine,
                    redis,
                    Limit.named("api.0").leakyBucket(Rate.perSecond(50)).withCapacity(100),
                    10,
                    20_011);
            row(rows, engine, redis, Limit.named("api.0").fixedWindow(100, MINUTE), 60, 20_011);
            Limit sliding = Limit.named("api.0").slidingWindow(1_000, MINUTE);
            long ofWindow = row(rows, engine, redis, sliding, 900, 60_011);
            long ofLog = 0;
            for (int entries : new int[] {1, 10, 100, 1_000}) {
                Limit log = Limit.named("api" + entries).slidingLog(1_000, MINUTE);
                ofLog = row(rows, engine, redis, log, entries, 20_011);
            }
            for (int holders : new int[] {1, 10, 100}) {
                Limit slots = Limit.named("api" + holders).concurrency(1_000, MINUTE);
                row(rows, engine, redis, slots, holders, 11);
            }
            client.shutdown(0, 1, TimeUnit.SECONDS);

            System.out.println("| algorithm | admissions | bytes | of them the name |\n|---|---|---|---|");
            rows.forEach(System.out::println);
            assertThat(ofBucket).isLessThanOrEqualTo(150);
            assertThat(ofWindow).isLessThanOrEqualTo(150);
            assertThat(ofLog).isLessThanOrEqualTo(20 * 1_000);
        }
    }

    /** Admits requests at this interval, and returns how much the count takes then. */
    private long row(
            List<String> rows,
            RedisEngine engine,
            RedisCommands<String, String> redis,
            Limit limit,
            int admissions,
            long apartMicros)
            throws Exception {
        CompletableFuture<Outcome> last = new CompletableFuture<>();
        for (int i = 0; i < admissions; i++) {
            now.addAndGet(apartMicros);
            last = ((PendingOutcome) engine.decide(Ask.charging(List.of(Demand.of(limit, KEY, 1)))))
                    .outcome()
                    .toCompletableFuture();
            last.get(60, TimeUnit.SECONDS);
        }
        String name = new RedisKeys("rate_limit").of(limit, KEY);
        long bytes = redis.memoryUsage(name);
        rows.add(String.format("| %s | %d | %d | %d |", limit.algorithm(), admissions, bytes, name.length()));
        return bytes;
    }
}
