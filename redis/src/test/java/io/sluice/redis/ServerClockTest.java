package io.sluice.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.core.limit.Limit;
import io.sluice.core.limit.Rate;
import io.sluice.core.spi.Ask;
import io.sluice.core.spi.Charge;
import io.sluice.core.spi.Demand;
import io.sluice.core.spi.EngineDecision;
import io.sluice.core.spi.PendingOutcome;
import io.sluice.core.spi.Settlement;
import io.sluice.core.spi.SettlementResult;
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
        try (RedisEngine engine = connect(micros)) {
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

    /** The holders have died: their permits come back a ttl and a second later, whatever the clock did meanwhile. */
    @ParameterizedTest
    @ValueSource(longs = {30, -60, -1, 3_600, -3_600})
    void permitsOfHoldersThatDiedComeBackAfterTheirTtl(long seconds) throws Exception {
        Limit limit = Limit.named("held").concurrency(4, Duration.ofSeconds(60));
        AtomicLong micros = new AtomicLong(NOW);
        try (RedisEngine engine = connect(micros)) {
            for (int i = 0; i < 4; i++) {
                assertThat(passes(engine, limit, "k")).isTrue();
            }
            assertThat(passes(engine, limit, "k")).isFalse();
            micros.addAndGet(seconds * 1_000_000);
            long extra = 0;
            for (int i = 0; i < 20; i++) {
                extra += passes(engine, limit, "k") ? 1 : 0;
            }
            assertThat(extra).isLessThanOrEqualTo(seconds > 0 ? 4 : 0);
            micros.addAndGet(61_000_000);
            for (int i = 0; i < 4; i++) {
                assertThat(passes(engine, limit, "k")).as("permit %s", i).isTrue();
            }
            assertThat(passes(engine, limit, "k")).isFalse();
        }
    }

    /** A reservation is settled once, also by repetitions at any other time. */
    @ParameterizedTest
    @ValueSource(longs = {30, -60, -1, 3_600, -3_600})
    void aReservationIsSettledOnce(long seconds) throws Exception {
        AtomicLong micros = new AtomicLong(NOW);
        long within = 300_000_000;
        try (RedisEngine engine = connect(micros)) {
            for (Limit limit : LIMITS) {
                if (limit.name().equals("leaky")) {
                    // It makes requests wait and cannot be settled.
                    continue;
                }
                for (boolean isSettledBefore : new boolean[] {true, false}) {
                    micros.set(NOW);
                    Ask ask = Ask.charging(List.of(Demand.of(limit, "settled-" + isSettledBefore, 10)));
                    Charge charge = decided(engine, ask).charges(ask).get(0);
                    Settlement settlement = Settlement.of(charge, 4, "id", within);
                    int settled = isSettledBefore && isSettled(engine, settlement) ? 1 : 0;
                    for (long jump : new long[] {seconds, -seconds, 2_000, -1_000, -999, -1}) {
                        micros.addAndGet(jump * 1_000_000);
                        settled += isSettled(engine, settlement) ? 1 : 0;
                    }
                    micros.set(NOW + 1_000_000);
                    settled += isSettled(engine, settlement) ? 1 : 0;
                    assertThat(settled).as("%s", limit).isEqualTo(1);
                }
            }
        }
    }

    private static boolean isSettled(RedisEngine engine, Settlement settlement) throws Exception {
        return engine.settle(List.of(settlement))
                        .toCompletableFuture()
                        .get(60, TimeUnit.SECONDS)
                        .get(0)
                        .kind()
                == SettlementResult.Kind.SETTLED;
    }

    private static RedisEngine connect(AtomicLong micros) throws Exception {
        RedisEngine engine = RedisEngine.onTime(
                RedisServer.shared().uri(),
                "p",
                Clock.system(),
                RedisOptions.defaults().slow(Duration.ofMinutes(1)),
                () -> Long.toString(micros.get()));
        engine.ready().toCompletableFuture().get(60, TimeUnit.SECONDS);
        return engine;
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
        return decided(engine, Ask.charging(List.of(Demand.of(limit, key, 1)))).allowed();
    }

    private static EngineDecision decided(RedisEngine engine, Ask ask) throws Exception {
        PendingOutcome pending = (PendingOutcome) engine.decide(ask);
        return (EngineDecision) pending.outcome().toCompletableFuture().get(60, TimeUnit.SECONDS);
    }
}
