package io.sluice.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.lettuce.core.FlushMode;
import io.lettuce.core.RedisClient;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.api.sync.RedisCommands;
import io.sluice.core.decorator.FallbackEngine;
import io.sluice.core.limit.Limit;
import io.sluice.core.limit.Rate;
import io.sluice.core.spi.Answer;
import io.sluice.core.spi.Ask;
import io.sluice.core.spi.Charge;
import io.sluice.core.spi.Demand;
import io.sluice.core.spi.Engine;
import io.sluice.core.spi.EngineDecision;
import io.sluice.core.spi.EngineFailure;
import io.sluice.core.spi.FailurePolicy;
import io.sluice.core.spi.KeyMatch;
import io.sluice.core.spi.Outcome;
import io.sluice.core.spi.PendingOutcome;
import io.sluice.core.time.Clock;
import io.sluice.redis.internal.link.Coalescer;
import io.sluice.redis.internal.link.RedisOptions;
import io.sluice.redis.internal.refusal.RefundChannel;
import io.sluice.redis.internal.wire.LeaseReply;
import io.sluice.redis.internal.wire.LeaseRequest;
import io.sluice.testkit.SeededRandom;
import io.sluice.testkit.engine.GoldenVector;
import io.sluice.testkit.redis.FaultProxy;
import io.sluice.testkit.redis.RedisServer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

final class RedisEngineTest {

    private static final AtomicInteger PREFIXES = new AtomicInteger();
    private static final Limit TEN =
            Limit.named("ten").tokenBucket(Rate.perDay(10)).withBurst(10);
    private static final Limit THREE = Limit.named("three").slidingLog(3, Duration.ofMinutes(1));

    /** Never mistakes a slow machine for a Redis that hangs. */
    private static final RedisOptions PATIENT = RedisOptions.defaults().slow(Duration.ofMinutes(1));

    private static RedisServer server;

    @BeforeAll
    static void startRedis() throws Exception {
        server = RedisServer.shared();
    }

    @Nested
    final class Coalescing extends Conformance {

        @Override
        RedisOptions options() {
            return RedisOptions.defaults();
        }
    }

    @Nested
    final class WithoutCoalescing extends Conformance {

        @Override
        protected List<GoldenVector> chosen(List<GoldenVector> vectors) {
            return some(vectors);
        }

        @Override
        RedisOptions options() {
            return RedisOptions.defaults().coalescing(false);
        }
    }

    /**
     * Leases change nothing for demands that do not ask for them, and pass settlements on. Recording changes nothing either.
     */
    @Nested
    final class BehindLeasesAndRecorded extends Conformance {

        @Override
        protected List<GoldenVector> chosen(List<GoldenVector> vectors) {
            return some(vectors);
        }

        @Override
        RedisOptions options() {
            return RedisOptions.defaults().recording(event -> {});
        }

        @Override
        Engine inFrontOf(RedisEngine engine) {
            return engine.leasesInFrontOf(engine);
        }
    }

    /** Returns every eighth vector, or all in the long form: the engine with the default options replays all of them. */
    private static List<GoldenVector> some(List<GoldenVector> vectors) {
        return SeededRandom.sample(vectors, Math.max(1, vectors.size() / 8));
    }

    private abstract static class Conformance extends RedisConformance {

        abstract RedisOptions options();

        @Override
        RedisEngine connect(String prefix, Supplier<String> time) {
            return RedisEngine.onTime(
                    server.uri(), prefix, Clock.system(), options().slow(Duration.ofMinutes(1)), time);
        }

        @Override
        List<RedisServer> servers() {
            return List.of(server);
        }
    }

    @Test
    void sharesCountsBetweenProcessesAndDecidesByTheServersTime() throws Exception {
        String prefix = prefix();
        try (RedisEngine one = connect(prefix);
                RedisEngine two = connect(prefix)) {
            AtomicInteger allowed = new AtomicInteger();
            List<CompletableFuture<Void>> asks = new ArrayList<>();
            for (int i = 0; i < 500; i++) {
                asks.add(CompletableFuture.runAsync(() -> {
                    if (decide(one, Demand.of(TEN, "k", 1)).allowed()) {
                        allowed.incrementAndGet();
                    }
                    if (decide(two, Demand.of(TEN, "k", 1)).allowed()) {
                        allowed.incrementAndGet();
                    }
                }));
            }
            CompletableFuture.allOf(asks.toArray(CompletableFuture[]::new)).get(60, TimeUnit.SECONDS);
            assertThat(allowed).hasValue(10);
            long before = serverMicros();
            long decided = decide(one, Demand.of(TEN, "other", 1)).atMicros();
            assertThat(decided).isBetween(before, serverMicros());
        }
    }

    @Test
    void writesATimeToLiveWithEveryCount() throws Exception {
        String prefix = prefix();
        Limit hourly = Limit.named("hourly").tokenBucket(Rate.perHour(10)).withBurst(10);
        Limit log = Limit.named("log").slidingLog(3, Duration.ofHours(1));
        AtomicLong atMillis = new AtomicLong();
        try (RedisEngine engine = connect(prefix)) {
            EngineDecision decided =
                    decide(engine, Demand.of(TEN, "k", 10), Demand.of(log, "k", 1), Demand.of(hourly, "k", 5));
            atMillis.set(TimeUnit.MICROSECONDS.toMillis(decided.atMicros()));
        }
        withRedis(redis -> {
            assertThat(redis.keys(prefix + ":*"))
                    .hasSize(3)
                    .allSatisfy(key -> assertThat(redis.pttl(key)).as(key).isPositive());
            assertThat(redis.pexpiretime(prefix + ":hourly:tb:k") - atMillis.get())
                    .isBetween(TimeUnit.MINUTES.toMillis(30), longestFor(TimeUnit.MINUTES.toMillis(30)));
            assertThat(redis.pexpiretime(prefix + ":log:sl1h:k") - atMillis.get())
                    .isBetween(TimeUnit.HOURS.toMillis(1), longestFor(TimeUnit.HOURS.toMillis(1)));
            assertThat(redis.pexpiretime(prefix + ":ten:tb:k") - atMillis.get())
                    .isGreaterThan(TimeUnit.HOURS.toMillis(23));
        });
    }

    /** A second longer, and rounded up by at most a 64th. */
    private static long longestFor(long millis) {
        long longer = millis + 1_010;
        return longer + longer / 64;
    }

    @Test
    void loadsTheFunctionAgainWhenRedisForgotIt() throws Exception {
        try (RedisEngine engine = connect(prefix())) {
            for (int i = 0; i < 20; i++) {
                withRedis(redis -> redis.functionFlush(FlushMode.SYNC));
                assertThat(decide(engine, Demand.of(TEN, "k", 1)).allowed()).isEqualTo(i < 10);
            }
        }
    }

    @Test
    void loadsOnceForAllCallsThatFoundNoFunction() throws Exception {
        try (RedisServer own = RedisServer.start();
                RedisEngine engine = RedisEngine.connect(own.uri(), "p", Clock.system(), PATIENT)) {
            engine.ready().toCompletableFuture().get(60, TimeUnit.SECONDS);
            own.command("FUNCTION", "FLUSH", "SYNC");
            own.command("CONFIG", "RESETSTAT");
            own.freeze();
            List<Answer> answers = new ArrayList<>();
            for (int i = 0; i < Coalescer.MOST_UNDER_WAY; i++) {
                answers.add(engine.decide(ask(Demand.of(TEN, "k", 1))));
            }
            own.thaw();
            for (int i = 0; i < answers.size(); i++) {
                assertThat(decided(answers.get(i)).verdicts().get(0).remaining())
                        .as("in the order in which they came")
                        .isEqualTo(9 - i);
            }
            assertThat(own.command("INFO", "commandstats").toString())
                    .contains("cmdstat_function|load:calls=1,", "cmdstat_fcall:calls=8,");
        }
    }

    @Test
    void repeatsACallWithoutWaitingForTheLoad() throws Exception {
        Duration away = Duration.ofMillis(400);
        try (RedisServer own = RedisServer.start();
                FaultProxy proxy = FaultProxy.before(own);
                RedisEngine engine = RedisEngine.connect(proxy.uri(), "p", Clock.system(), PATIENT)) {
            engine.ready().toCompletableFuture().get(60, TimeUnit.SECONDS);
            decide(engine, Demand.of(TEN, "k", 1));
            proxy.delay(Duration.ZERO, away);
            // Three round trips never take less than three delays. Two may take as long on a busy machine, but not
            // every time.
            Awaitility.await("two ways there and back, not three")
                    .atMost(Duration.ofMinutes(2))
                    .until(() -> {
                        own.command("FUNCTION", "FLUSH", "SYNC");
                        long before = System.nanoTime();
                        decide(engine, Demand.of(TEN, "k", 1));
                        return System.nanoTime() - before < away.multipliedBy(3).toNanos();
                    });
        }
    }

    @Test
    void doesNotSendRequestsPastTheirDeadline() throws Exception {
        try (RedisEngine engine = connect(prefix())) {
            Ask late = Ask.charging(List.of(Demand.of(TEN, "k", 1)))
                    .dueAt(Clock.system().nanoTime() - 1);
            assertThat(engine.decide(late)).isEqualTo(new EngineFailure("redis-timeout", false));
            assertThat(decide(engine, Demand.of(TEN, "k", 10)).allowed()).isTrue();
        }
    }

    @Test
    void isUndecidedWithoutRedisAndDecidesOnceItIsUp() throws Exception {
        RedisServer own = RedisServer.start();
        own.kill();
        try (own;
                RedisEngine engine = RedisEngine.connect(own.uri(), "p", Clock.system(), PATIENT)) {
            assertThat(engine.decide(ask(Demand.of(TEN, "k", 1))))
                    .isEqualTo(new EngineFailure("redis-disconnected", false));
            assertThat(engine.isReady()).isFalse();
            own.restart();
            engine.ready().toCompletableFuture().get(60, TimeUnit.SECONDS);
            assertThat(decide(engine, Demand.of(TEN, "k", 1)).allowed()).isTrue();
            own.kill();
            Awaitility.await()
                    .atMost(Duration.ofMinutes(1))
                    .until(() -> engine.decide(ask(Demand.of(TEN, "k", 1))) instanceof EngineFailure);
            own.restart();
            Awaitility.await().atMost(Duration.ofMinutes(1)).until(engine::isReady);
            assertThat(decide(engine, Demand.of(TEN, "k", 10)).allowed()).isTrue();
        }
    }

    @Test
    void neverResendsACallThatWasUnderWayWhenTheConnectionBroke() throws Exception {
        try (RedisServer own = RedisServer.start();
                RedisEngine engine = RedisEngine.connect(own.uri(), "p", Clock.system(), PATIENT)) {
            engine.ready().toCompletableFuture().get(60, TimeUnit.SECONDS);
            own.freeze();
            List<CompletableFuture<Outcome>> lost = new ArrayList<>();
            for (int i = 0; i < Coalescer.MOST_UNDER_WAY; i++) {
                Answer answer = engine.decide(ask(Demand.of(TEN, "k", 1)));
                lost.add(((PendingOutcome) answer).outcome().toCompletableFuture());
            }
            own.kill();
            for (CompletableFuture<Outcome> outcome : lost) {
                assertThat(outcome.get(60, TimeUnit.SECONDS)).isEqualTo(new EngineFailure("redis-disconnected", true));
            }
            own.restart();
            Awaitility.await().atMost(Duration.ofMinutes(1)).until(engine::isReady);
            assertThat(decide(engine, Demand.of(TEN, "k", 1)).verdicts().get(0).remaining())
                    .isEqualTo(9);
        }
    }

    @Test
    void startsNoThreadOnReconnect() throws Exception {
        try (RedisServer own = RedisServer.start();
                RedisEngine engine = RedisEngine.connect(own.uri(), "p", Clock.system(), PATIENT)) {
            engine.ready().toCompletableFuture().get(60, TimeUnit.SECONDS);
            Set<Thread> before = threads();
            for (int i = 0; i < 3; i++) {
                own.kill();
                Awaitility.await().atMost(Duration.ofMinutes(1)).until(() -> !engine.isReady());
                own.restart();
                Awaitility.await().atMost(Duration.ofMinutes(1)).until(engine::isReady);
                decide(engine, Demand.of(TEN, "k", 1));
            }
            assertThat(threads()).isSubsetOf(before);
        }
    }

    private static Set<Thread> threads() {
        return Thread.getAllStackTraces().keySet().stream()
                .filter(thread -> thread.getName().startsWith("lettuce"))
                .collect(Collectors.toSet());
    }

    @Test
    void answersByTheDeadlineWhenRedisHangs() throws Exception {
        try (RedisServer own = RedisServer.start();
                RedisEngine redis = RedisEngine.connect(own.uri(), "p", Clock.system(), PATIENT);
                FallbackEngine engine = new FallbackEngine(redis, Clock.system())) {
            redis.ready().toCompletableFuture().get(60, TimeUnit.SECONDS);
            own.freeze();
            for (FailurePolicy policy : FailurePolicy.values()) {
                Ask ask = ask(Demand.of(TEN, "k", 1))
                        .dueAt(Clock.system().nanoTime() + TimeUnit.MILLISECONDS.toNanos(20))
                        .onFailure(policy, 0.5);
                EngineDecision decided = decided(engine.decide(ask));
                // On a busy machine this process notices the deadline late.
                assertThat(decided.degraded()).isIn("redis-timeout", "node-paused");
                assertThat(decided.allowed()).isEqualTo(policy != FailurePolicy.CLOSED);
            }
            own.thaw();
        }
    }

    @Test
    void needsNoMorePermissionsThanDocumented() throws Exception {
        // As in docs/how-to/redis.md.
        String rules =
                "on >secret resetchannels &rate_limit:* ~rate_limit:* ~{rate_limit:*}#n -@all +hello +auth +ping "
                        + "+info +publish +psubscribe "
                        + "+fcall +function|load +time +get +mget +set +del +exists +pexpire +pttl "
                        + "+lrange +rpush +ltrim +lset +lrem +llen +lindex "
                        + "+zrange +zcount +zscore +zadd +zrem +zremrangebyscore +scan +unlink";
        RedisServer own = RedisServer.start(("--user sluice " + rules).split(" ", -1));
        String uri = own.uri().replace("redis://", "redis://sluice:secret@");
        List<Demand> all = List.of(
                Demand.of(TEN, "k", 2),
                Demand.of(THREE, "k", 2),
                Demand.of(Limit.named("slots").concurrency(3, Duration.ofMinutes(1)), "k", 2),
                Demand.of(Limit.named("window").slidingWindow(3, Duration.ofMinutes(1)), "k", 2));
        RedisOptions recording = PATIENT.recording(step -> {});
        AtomicInteger refunds = new AtomicInteger();
        try (own;
                RedisEngine engine = RedisEngine.connect(uri, "rate_limit", Clock.system(), recording);
                RefundChannel channel = RefundChannel.open(
                        uri, "rate_limit", Clock.system(), count -> refunds.incrementAndGet(), () -> {})) {
            engine.ready().toCompletableFuture().get(60, TimeUnit.SECONDS);
            Awaitility.await().atMost(Duration.ofMinutes(1)).until(channel::isHeard);
            assertThat(decide(engine, Demand.of(TEN, "alone", 1))
                            .verdicts()
                            .get(0)
                            .remaining())
                    .isEqualTo(9);
            assertThat(decide(engine, Demand.of(TEN, "alone", 1))
                            .verdicts()
                            .get(0)
                            .remaining())
                    .isEqualTo(8);
            LeaseRequest lease = new LeaseRequest(TEN, "leased", "l1", 1, 1, 1, 1_000_000, 0, List.of());
            assertThat(engine.leases().request(lease).toCompletableFuture().get(60, TimeUnit.SECONDS))
                    .isInstanceOf(LeaseReply.Granted.class);
            Ask ask = Ask.charging(all);
            for (int i = 0; i < 3; i++) {
                EngineDecision charged = decided(engine.decide(ask));
                assertThat(charged.allowed()).isTrue();
                assertThat(decided(engine.decide(Ask.charging(List.of(Demand.of(THREE, "k", 2)))))
                                .allowed())
                        .isFalse();
                List<Charge> charges = charged.charges(ask);
                assertThat(engine.renew(charges.get(2)).toCompletableFuture().get(60, TimeUnit.SECONDS))
                        .isTrue();
                engine.giveBack(charges).toCompletableFuture().get(60, TimeUnit.SECONDS);
            }
            Awaitility.await().atMost(Duration.ofMinutes(1)).until(() -> refunds.get() == 9);
            KeyMatch alone = new KeyMatch("alone"::equals, List.of());
            Awaitility.await()
                    .atMost(Duration.ofMinutes(5))
                    .until(() -> engine.erase(alone, "1").unfinished().isEmpty());
        }
    }

    @Test
    void doesNotTreatAnUnreadableCountAsUnused() throws Exception {
        String rules = "on >secret ~* -@all +hello +auth +ping +info +fcall +function|load +time +set";
        RedisServer own = RedisServer.start(("--user blind " + rules).split(" ", -1));
        String uri = own.uri().replace("redis://", "redis://blind:secret@");
        try (own;
                RedisEngine engine = RedisEngine.connect(uri, prefix(), Clock.system(), PATIENT)) {
            engine.ready().toCompletableFuture().get(60, TimeUnit.SECONDS);
            Answer answer = engine.decide(ask(Demand.of(TEN, "k", 1)));
            Outcome outcome = answer instanceof PendingOutcome pending
                    ? pending.outcome().toCompletableFuture().get(60, TimeUnit.SECONDS)
                    : (Outcome) answer;
            assertThat(outcome).isInstanceOf(EngineFailure.class);
        }
    }

    private static RedisEngine connect(String prefix) throws Exception {
        RedisEngine engine = RedisEngine.connect(server.uri(), prefix, Clock.system(), PATIENT);
        engine.ready().toCompletableFuture().get(60, TimeUnit.SECONDS);
        return engine;
    }

    private static String prefix() {
        return "test" + PREFIXES.incrementAndGet();
    }

    /** Without the timeout in its address, it is taken for slow after each probe. */
    @Test
    void aRedisThatIsFarAwayDecidesIfItsAddressStatesTheTimeout() throws Exception {
        try (FaultProxy proxy = FaultProxy.before(server)) {
            Duration away = Duration.ofMillis(100);
            proxy.delay(away, away);
            try (RedisEngine engine = RedisEngine.connect(proxy.uri() + "?timeout=1m", "far", Clock.system())) {
                engine.ready().toCompletableFuture().get(60, TimeUnit.SECONDS);
                for (int i = 0; i < 6; i++) {
                    assertThat(decide(engine, Demand.of(TEN, "k", 1)).allowed()).isTrue();
                }
                assertThat(engine.state().available()).isTrue();
            }
        }
    }

    private static Ask ask(Demand... demands) {
        return Ask.charging(List.of(demands));
    }

    private static EngineDecision decide(Engine engine, Demand... demands) {
        return decided(engine.decide(ask(demands)));
    }

    private static EngineDecision decided(Answer answer) {
        return (EngineDecision)
                (answer instanceof PendingOutcome pending
                        ? pending.outcome()
                                .toCompletableFuture()
                                .orTimeout(60, TimeUnit.SECONDS)
                                .join()
                        : answer);
    }

    private static long serverMicros() {
        AtomicLong micros = new AtomicLong();
        withRedis(redis -> {
            List<String> time = redis.time();
            micros.set(Long.parseLong(time.get(0)) * 1_000_000 + Long.parseLong(time.get(1)));
        });
        return micros.get();
    }

    private static void withRedis(Consumer<RedisCommands<String, String>> action) {
        RedisClient client = RedisClient.create(server.uri());
        try (StatefulRedisConnection<String, String> connection = client.connect()) {
            action.accept(connection.sync());
        } finally {
            client.shutdown(0, 1, TimeUnit.SECONDS);
        }
    }
}
