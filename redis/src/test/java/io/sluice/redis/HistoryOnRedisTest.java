package io.sluice.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.core.limit.Limit;
import io.sluice.core.limit.Rate;
import io.sluice.core.spi.Ask;
import io.sluice.core.spi.Demand;
import io.sluice.core.spi.Engine;
import io.sluice.core.spi.EngineDecision;
import io.sluice.core.spi.Outcome;
import io.sluice.core.spi.PendingOutcome;
import io.sluice.core.time.Clock;
import io.sluice.history.CheckReport;
import io.sluice.history.HistoryChecker;
import io.sluice.history.HistoryWriter;
import io.sluice.redis.internal.link.RedisOptions;
import io.sluice.redis.internal.refusal.DenyCache;
import io.sluice.testkit.redis.RedisServer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class HistoryOnRedisTest {

    private static final List<Limit> LIMITS = List.of(
            Limit.named("tb").tokenBucket(Rate.perSecond(500)).withBurst(50),
            Limit.named("lb").leakyBucket(Rate.perSecond(700)).withCapacity(40),
            Limit.named("fw").fixedWindow(60, Duration.ofMillis(100)),
            Limit.named("sw").slidingWindow(70, Duration.ofMillis(100)),
            Limit.named("we").slidingWindow(70, Duration.ofMillis(100)).asEstimate(),
            Limit.named("sl").slidingLog(80, Duration.ofMillis(100)),
            Limit.named("cc").concurrency(30, Duration.ofMillis(80)));

    @TempDir
    Path dir;

    @Test
    void theHistoryOfTwoProcessesHasNoViolations() throws Exception {
        long seed = Long.getLong("sluice.tests.seed", new Random().nextLong());
        System.out.println("theHistoryOfTwoProcessesHasNoViolations: seed " + seed);
        List<Path> files = List.of(dir.resolve("n1"), dir.resolve("n2"));
        RedisServer server = RedisServer.shared();
        try (HistoryWriter first = HistoryWriter.open(files.get(0), "n1");
                HistoryWriter second = HistoryWriter.open(files.get(1), "n2");
                Engine one = connect(server, first);
                Engine two = connect(server, second)) {
            load(List.of(one, two), new Random(seed));
        }
        CheckReport report = HistoryChecker.check(files);
        System.out.println(report);
        assertThat(report.isClean()).as("%s", report).isTrue();
        assertThat(report.missing()).isZero();
        assertThat(report.unchecked()).isZero();
        // Some of the 9,000 requests are refused from the cache; the faster the machine, the more.
        assertThat(report.steps()).isGreaterThan(1_000);
    }

    private static Engine connect(RedisServer server, HistoryWriter history) throws Exception {
        RedisOptions options =
                RedisOptions.defaults().slow(Duration.ofMinutes(1)).recording(history);
        RedisEngine engine = RedisEngine.connect(server.uri(), "p", Clock.system(), options);
        engine.ready().toCompletableFuture().get(60, TimeUnit.SECONDS);
        return engine.recorded(DenyCache.over(engine, server.uri(), "p", Clock.system(), options));
    }

    private static void load(List<Engine> engines, Random random) throws Exception {
        for (int round = 0; round < 150; round++) {
            List<CompletableFuture<?>> answers = new ArrayList<>();
            for (int i = 0; i < 60; i++) {
                Engine engine = engines.get(random.nextInt(2));
                Ask ask = ask(random);
                boolean givesBack = random.nextInt(4) == 0;
                if (engine.decide(ask) instanceof PendingOutcome pending) {
                    answers.add(pending.outcome()
                            .thenCompose(outcome -> givesBack ? giveBack(engine, ask, outcome) : done())
                            .toCompletableFuture());
                }
            }
            for (CompletableFuture<?> answer : answers) {
                answer.get(60, TimeUnit.SECONDS);
            }
        }
    }

    private static Ask ask(Random random) {
        List<Demand> demands = new ArrayList<>();
        for (Limit limit : LIMITS) {
            if (random.nextInt(4) == 0) {
                long permits = 1 + random.nextLong(3);
                demands.add(Demand.of(limit, "k" + random.nextInt(2), permits).orAtLeast(1 + random.nextLong(permits)));
            }
        }
        Ask ask = Ask.charging(demands);
        return random.nextInt(10) == 0 ? ask.looking() : ask;
    }

    private static CompletableFuture<Void> giveBack(Engine engine, Ask ask, Outcome outcome) {
        return outcome instanceof EngineDecision decided
                ? engine.giveBack(decided.charges(ask)).thenAccept(held -> {}).toCompletableFuture()
                : done();
    }

    private static CompletableFuture<Void> done() {
        return CompletableFuture.completedFuture(null);
    }
}
