package io.sluice.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.core.limit.Concurrency;
import io.sluice.core.limit.Limit;
import io.sluice.core.limit.Rate;
import io.sluice.core.local.LocalEngine;
import io.sluice.core.spi.Answer;
import io.sluice.core.spi.Ask;
import io.sluice.core.spi.Charge;
import io.sluice.core.spi.Demand;
import io.sluice.core.spi.Engine;
import io.sluice.core.spi.EngineDecision;
import io.sluice.core.spi.PendingOutcome;
import io.sluice.core.time.Clock;
import io.sluice.redis.internal.link.RedisOptions;
import io.sluice.redis.internal.wire.RedisKeys;
import io.sluice.testkit.SeededRandom;
import io.sluice.testkit.redis.RedisServer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Held permits in Redis: as many entries as holders, whatever the number of permits, and the same answers as in process. */
final class ConcurrencyCostTest {

    private static final RedisOptions PATIENT = RedisOptions.defaults().slow(Duration.ofMinutes(1));

    private static RedisServer server;

    @BeforeAll
    static void start() {
        server = RedisServer.shared();
    }

    @Test
    void aHolderCostsTheSameWhateverItHolds() throws Exception {
        Limit limit = Limit.named("cost").concurrency(100_000, Duration.ofMinutes(10));
        try (RedisEngine engine = RedisEngine.connect(server.uri(), "p", Clock.system(), PATIENT)) {
            engine.ready().toCompletableFuture().get(60, TimeUnit.SECONDS);
            List<Charge> charges = new ArrayList<>();
            server.command("CONFIG", "RESETSTAT");
            for (int i = 0; i < 20; i++) {
                Ask ask = Ask.charging(List.of(Demand.of(limit, "k", 5_000)));
                EngineDecision decision = decided(engine, ask);
                assertThat(decision.allowed()).isTrue();
                charges.addAll(decision.charges(ask));
                engine.renew(charges.get(i)).toCompletableFuture().get(60, TimeUnit.SECONDS);
            }
            String count = new RedisKeys("p").of(limit, "k");
            assertThat(server.command("ZCARD", count).number()).isLessThanOrEqualTo(2 * 20 + 2);
            assertThat(commands()).isLessThanOrEqualTo(20 * 40);
            engine.giveBack(charges).toCompletableFuture().get(60, TimeUnit.SECONDS);
            assertThat(remaining(engine, limit)).isEqualTo(100_000);
        }
    }

    /** Twenty refusals of as much as a limit can hold. */
    @Test
    void askingForTheWholeLimitCostsLittleWithEveryAlgorithm() throws Exception {
        Duration hour = Duration.ofHours(1);
        AtomicLong micros = new AtomicLong(1_790_000_000_000_000L);
        List<Limit> limits = List.of(
                Limit.named("tb").tokenBucket(Rate.perHour(100_000)).withBurst(100_000),
                Limit.named("lb").leakyBucket(Rate.perHour(100_000)).withCapacity(100_000),
                Limit.named("fw").fixedWindow(100_000, hour),
                Limit.named("sw").slidingWindow(100_000, hour),
                Limit.named("sl").slidingLog(100_000, hour),
                Limit.named("cc").concurrency(100_000, hour));
        try (RedisEngine engine =
                RedisEngine.onTime(server.uri(), "w", Clock.system(), PATIENT, () -> Long.toString(micros.get()))) {
            engine.ready().toCompletableFuture().get(60, TimeUnit.SECONDS);
            for (Limit limit : limits) {
                for (int i = 0; i < 500; i++) {
                    micros.addAndGet(1_000);
                    assertThat(decided(engine, Ask.charging(List.of(Demand.of(limit, "k", 1))))
                                    .allowed())
                            .isTrue();
                }
                Ask whole = Ask.charging(List.of(Demand.of(limit, "k", 100_000)));
                server.command("CONFIG", "RESETSTAT");
                for (int i = 0; i < 20; i++) {
                    assertThat(decided(engine, whole).allowed()).isFalse();
                }
                assertThat(commands()).as(limit.name()).isLessThanOrEqualTo(20 * 20);
            }
        }
    }

    /** All commands that functions have made, and ours. */
    private static long commands() {
        long calls = 0;
        for (String line : server.command("INFO", "commandstats").text().split("\r?\n", -1)) {
            int at = line.indexOf(":calls=");
            if (at >= 0) {
                calls += Long.parseLong(line.substring(at + 7, line.indexOf(',', at)));
            }
        }
        return calls;
    }

    private static long remaining(Engine engine, Limit limit) {
        return decided(engine, Ask.charging(List.of(Demand.of(limit, "k", 1))).looking())
                .verdicts()
                .get(0)
                .remaining();
    }

    /** Permits are taken one by one and in numbers, renewed, given back and left to expire. */
    @Test
    void redisAnswersAsTheEngineInProcessDoes() throws Exception {
        SeededRandom random = SeededRandom.of("redisAnswersAsTheEngineInProcessDoes");
        AtomicLong micros = new AtomicLong(1_790_000_000_000_000L);
        try (RedisEngine redis = RedisEngine.onTime(
                        server.uri(), "d", Clock.system(), PATIENT, () -> Long.toString(micros.get()));
                LocalEngine local = LocalEngine.onTime(micros::get)) {
            redis.ready().toCompletableFuture().get(60, TimeUnit.SECONDS);
            Concurrency limit = Limit.named("same").concurrency(30, Duration.ofSeconds(5));
            List<Charge> held = new ArrayList<>();
            List<String> names = List.of("a", "b", "c", "d", "e", "f", "g", "h");
            for (int i = 0; i < 5_000; i++) {
                micros.addAndGet(random.nextInt(10) == 0 ? random.nextInt(6_000_000) : random.nextInt(300_000));
                if (random.nextInt(5) == 0 && !held.isEmpty()) {
                    Charge charge = held.get(random.nextInt(held.size()));
                    if (random.nextBoolean()) {
                        redis.giveBack(List.of(charge)).toCompletableFuture().get(60, TimeUnit.SECONDS);
                        local.giveBack(List.of(charge));
                    } else {
                        assertThat(redis.renew(charge).toCompletableFuture().get(60, TimeUnit.SECONDS))
                                .as("step %d", i)
                                .isEqualTo(local.renewNow(charge));
                    }
                    continue;
                }
                long permits = random.nextInt(3) == 0 ? 1 + random.nextInt(12) : 1;
                Demand demand = Demand.of(limit, "k", permits)
                        .heldBy(names.get(random.nextInt(names.size())))
                        .orAtLeast(1 + random.nextInt((int) permits));
                Ask ask = random.nextInt(6) == 0
                        ? Ask.charging(List.of(demand)).looking()
                        : Ask.charging(List.of(demand));
                EngineDecision theirs = decided(redis, ask);
                assertThat(theirs).as("step %d", i).isEqualTo(decided(local, ask));
                held.addAll(theirs.charges(ask));
                if (held.size() > 20) {
                    held.remove(0);
                }
            }
        }
    }

    private static EngineDecision decided(Engine engine, Ask ask) {
        Answer answer = engine.decide(ask);
        try {
            return (EngineDecision)
                    (answer instanceof PendingOutcome pending
                            ? pending.outcome().toCompletableFuture().get(60, TimeUnit.SECONDS)
                            : answer);
        } catch (Exception e) {
            throw new AssertionError(e);
        }
    }
}
