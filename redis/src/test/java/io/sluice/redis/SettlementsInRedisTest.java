package io.sluice.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.core.Limiter;
import io.sluice.core.algorithm.Count;
import io.sluice.core.limit.FixedWindow;
import io.sluice.core.limit.Limit;
import io.sluice.core.limit.Rate;
import io.sluice.core.local.LocalEngine;
import io.sluice.core.spi.Ask;
import io.sluice.core.spi.Charge;
import io.sluice.core.spi.Demand;
import io.sluice.core.spi.Engine;
import io.sluice.core.spi.EngineDecision;
import io.sluice.core.spi.Outcome;
import io.sluice.core.spi.PendingOutcome;
import io.sluice.core.spi.Settlement;
import io.sluice.core.spi.SettlementResult;
import io.sluice.core.spi.SettlementResult.Kind;
import io.sluice.core.spi.Verdict;
import io.sluice.core.time.Clock;
import io.sluice.redis.internal.link.RedisOptions;
import io.sluice.redis.internal.wire.RedisKeys;
import io.sluice.testkit.redis.FaultProxy;
import io.sluice.testkit.redis.RedisPair;
import io.sluice.testkit.redis.RedisServer;
import java.math.BigInteger;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Settlements on a real Redis: exactly once whatever is lost, with any numbers, and what a loss of data does to them. */
final class SettlementsInRedisTest {

    private static final AtomicInteger PREFIXES = new AtomicInteger();
    private static final long WITHIN = 300_000_000;
    private static final long START = 1_790_000_000_000_000L;
    private static final Duration PATIENCE = Duration.ofMinutes(1);
    private static final RedisOptions PATIENT = RedisOptions.defaults().slow(PATIENCE);

    private static final Limit BUCKET =
            Limit.named("tb").tokenBucket(Rate.perDay(10)).withBurst(10);
    private static final Limit WINDOW = Limit.named("fw").fixedWindow(10, Duration.ofDays(1_000));
    private static final Limit SLICES = Limit.named("sw").slidingWindow(10, Duration.ofDays(300));
    private static final Limit LOG = Limit.named("sl").slidingLog(10, Duration.ofDays(1));
    private static final List<Limit> LIMITS = List.of(BUCKET, WINDOW, SLICES, LOG);

    private static RedisServer server;

    private final String prefix = "settle" + PREFIXES.incrementAndGet();
    private final RedisKeys names = new RedisKeys(prefix);

    @BeforeAll
    static void startRedis() {
        server = RedisServer.shared();
    }

    static List<Limit> limits() {
        return LIMITS;
    }

    private static RedisEngine connect(String uri, String prefix) throws Exception {
        RedisEngine engine = RedisEngine.connect(uri, prefix, Clock.system(), PATIENT);
        engine.ready().toCompletableFuture().get(60, TimeUnit.SECONDS);
        return engine;
    }

    private static EngineDecision decide(Engine engine, Demand... demands) throws Exception {
        Object answer = engine.decide(Ask.charging(List.of(demands)));
        Outcome outcome = answer instanceof PendingOutcome pending
                ? pending.outcome().toCompletableFuture().get(60, TimeUnit.SECONDS)
                : (Outcome) answer;
        assertThat(outcome).isInstanceOf(EngineDecision.class);
        return (EngineDecision) outcome;
    }

    private static Verdict look(Engine engine, Limit limit, String key) throws Exception {
        Object answer =
                engine.decide(Ask.charging(List.of(Demand.of(limit, key, 1))).looking());
        Outcome outcome = answer instanceof PendingOutcome pending
                ? pending.outcome().toCompletableFuture().get(60, TimeUnit.SECONDS)
                : (Outcome) answer;
        assertThat(outcome).isInstanceOf(EngineDecision.class);
        return ((EngineDecision) outcome).verdicts().get(0);
    }

    private static Charge reserve(Engine engine, Limit limit, long permits) throws Exception {
        Demand demand = Demand.of(limit, "k", permits);
        EngineDecision decided = decide(engine, demand);
        assertThat(decided.allowed()).isTrue();
        return decided.charges(Ask.charging(List.of(demand))).get(0);
    }

    private static List<SettlementResult> settle(Engine engine, Settlement... some) throws Exception {
        return engine.settle(List.of(some)).toCompletableFuture().get(60, TimeUnit.SECONDS);
    }

    private static Settlement settlement(Charge charge, long actual) {
        return Settlement.of(charge, actual, "id", WITHIN);
    }

    /** A bucket gives back less what has flowed since, which is a part of one permit in these tests. */
    private static void assertGivenBack(Limit limit, long permits, SettlementResult result) {
        assertThat(result.givenBack()).isBetween(limit == BUCKET ? permits - 1 : permits, permits);
    }

    @ParameterizedTest
    @MethodSource("limits")
    void changesACountOnceIfTheConnectionBreaksBeforeTheAnswer(Limit limit) throws Exception {
        try (FaultProxy proxy = FaultProxy.before(server);
                RedisEngine engine = connect(proxy.uri(), prefix);
                RedisEngine other = connect(server.uri(), prefix);
                Limiter limiter = new Limiter(engine, Clock.system(), List.of())) {
            Settlement less = settlement(reserve(other, limit, 8), 3);
            String record = names.settlement(names.of(limit, "k"), "id");
            proxy.loseAnswers();
            CompletableFuture<List<SettlementResult>> results = limiter.settle(List.of(less), PATIENCE);
            Awaitility.await()
                    .atMost(PATIENCE)
                    .until(() -> server.command("EXISTS", record).number() == 1);
            assertThat(results).isNotDone();
            proxy.cut();
            proxy.resume();
            SettlementResult result = results.get(60, TimeUnit.SECONDS).get(0);
            assertThat(result.kind()).isEqualTo(Kind.REPEATED);
            assertGivenBack(limit, 5, result);
            assertThat(look(other, limit, "k").remaining()).isEqualTo(7);
            assertThat(server.command("GET", record).text()).isEqualTo("3 " + result.change());
        }
    }

    @Test
    void failsAtOnceWhileRedisIsAwayAndSettlesNothingElsewhere() throws Exception {
        try (RedisServer own = RedisServer.start();
                RedisEngine engine = connect(own.uri(), prefix);
                Limiter limiter = new Limiter(engine, Clock.system(), List.of())) {
            Settlement less = settlement(reserve(engine, WINDOW, 8), 3);
            own.kill();
            Awaitility.await().atMost(PATIENCE).until(() -> !engine.isReady());
            assertThatThrownBy(() -> settle(engine, less)).hasRootCauseInstanceOf(IllegalStateException.class);
            CompletableFuture<List<SettlementResult>> results = limiter.settle(List.of(less), PATIENCE);
            own.restart();
            assertThat(results.get(60, TimeUnit.SECONDS).get(0).kind()).isEqualTo(Kind.SETTLED);
        }
    }

    @Test
    void onlyOneOfEightProcessesSettles() throws Exception {
        ExecutorService threads = Executors.newFixedThreadPool(8);
        List<RedisEngine> engines = new ArrayList<>();
        try {
            for (int i = 0; i < 8; i++) {
                engines.add(connect(server.uri(), prefix));
            }
            for (Limit limit : LIMITS) {
                for (long actual : new long[] {2, 30}) {
                    Charge charge = reserve(engines.get(0), limit, 5);
                    Settlement some = Settlement.of(charge, actual, "id" + actual, WITHIN);
                    List<Future<SettlementResult>> results = new ArrayList<>();
                    for (RedisEngine engine : engines) {
                        results.add(threads.submit(() -> settle(engine, some).get(0)));
                    }
                    int settled = 0;
                    for (Future<SettlementResult> result : results) {
                        if (actual > 5) {
                            assertThat(result.get().charged()).isEqualTo(actual - 5);
                        } else {
                            assertGivenBack(limit, 5 - actual, result.get());
                        }
                        settled += result.get().kind() == Kind.SETTLED ? 1 : 0;
                    }
                    assertThat(settled).as("%s", limit).isEqualTo(1);
                }
                assertThat(look(engines.get(0), limit, "k").fits()).isFalse();
            }
        } finally {
            engines.forEach(RedisEngine::close);
            threads.shutdownNow();
        }
    }

    /** Small limits and large figures, with a clock that jumps. A batch has several settlements of the same count and of the same id. */
    @Test
    void agreesWithTheAlgorithmsInProcessOnAnyNumbers() throws Exception {
        List<Limit> limits = List.of(
                Limit.named("a").tokenBucket(Rate.perSecond(10)).withBurst(5),
                Limit.named("b").tokenBucket(Rate.perDay(999_983)).withBurst(1_000_000_000_000L),
                Limit.named("c").tokenBucket(Rate.perSecond(1_000_000_000)).withBurst(3),
                Limit.named("d").fixedWindow(7, Duration.ofSeconds(1)),
                Limit.named("e").slidingWindow(7, Duration.ofSeconds(1)),
                Limit.named("f")
                        .slidingWindow(1_000_000_000_000L, Duration.ofDays(1))
                        .asEstimate(),
                Limit.named("g").slidingLog(7, Duration.ofSeconds(1)),
                Limit.named("h").slidingLog(100_000, Duration.ofDays(1)));
        long[] figures = {0, 0, 1, 2, 5, 7, 1_000, 999_999_999, 1_000_000_000};
        long[] steps = {
            0, 1, 1_000, 100_000, 1_000_000, 60_000_000, 86_400_000_000L, -1, -999_999, -1_000_001, -90_000_000
        };
        AtomicLong micros = new AtomicLong(START);
        Map<Limit, Count> counts = new HashMap<>();
        Map<String, SettlementResult> records = new HashMap<>();
        try (RedisEngine redis =
                RedisEngine.onTime(server.uri(), prefix, Clock.system(), PATIENT, () -> Long.toString(micros.get()))) {
            redis.ready().toCompletableFuture().get(60, TimeUnit.SECONDS);
            limits.forEach(limit -> counts.put(limit, Count.of(limit)));
            long seed = System.nanoTime();
            Random random = new Random(seed);
            List<Charge> charges = new ArrayList<>();
            for (int step = 0; step < 1_000; step++) {
                if (random.nextInt(3) == 0) {
                    micros.addAndGet(steps[random.nextInt(steps.length)]);
                }
                Limit limit = limits.get(random.nextInt(limits.size()));
                String where = "seed " + seed + ", step " + step + ", " + limit;
                if (random.nextInt(2) == 0) {
                    Demand demand = Demand.of(limit, "k", 1 + figures[random.nextInt(6)])
                            .orAtLeast(1);
                    EngineDecision decided = decide(redis, demand);
                    assertThat(decided.verdicts())
                            .as(where)
                            .containsExactly(decided(counts.get(limit), demand, micros.get()));
                    charges.addAll(decided.charges(Ask.charging(List.of(demand))));
                    continue;
                }
                List<Settlement> some = new ArrayList<>();
                for (int i = random.nextInt(4); i >= 0; i--) {
                    long actual = figures[random.nextInt(figures.length)];
                    if (charges.isEmpty() || random.nextInt(5) == 0) {
                        String id = "new " + step + "." + i;
                        some.add(new Settlement(
                                limit, "k", figures[random.nextInt(9)], actual, micros.get(), id, WITHIN));
                        continue;
                    }
                    int index = Math.max(0, charges.size() - 1 - random.nextInt(8));
                    long within = index % 3 == 0 ? 1_000 : WITHIN;
                    some.add(Settlement.of(charges.get(index), actual, "charge " + index, within));
                }
                assertThat(redis.settle(some).toCompletableFuture().get(60, TimeUnit.SECONDS))
                        .as("%s: %s", where, some)
                        .isEqualTo(some.stream()
                                .map(each -> settled(counts.get(each.limit()), each, records, micros.get()))
                                .toList());
            }
        }
    }

    private static Verdict decided(Count count, Demand demand, long micros) {
        long grant = count.grant(demand, micros);
        Verdict verdict = count.verdict(demand, grant, grant > 0, micros);
        if (grant > 0) {
            count.charge(demand, grant, micros);
        } else {
            count.refuse(micros);
        }
        return verdict;
    }

    private static SettlementResult settled(
            Count count, Settlement settlement, Map<String, SettlementResult> records, long micros) {
        if (!settlement.isDue(micros)) {
            return SettlementResult.UNKNOWN;
        }
        String id = settlement.limit() + settlement.id();
        String figure = id + "=" + settlement.actual();
        SettlementResult first = records.get(id);
        if (first != null) {
            return records.getOrDefault(figure, SettlementResult.CONFLICT);
        }
        long change = count.settle(settlement, micros);
        records.put(figure, new SettlementResult(Kind.REPEATED, change));
        records.put(id, new SettlementResult(Kind.SETTLED, change));
        return new SettlementResult(Kind.SETTLED, change);
    }

    /** More than five bytes hold: entries of a log are wider then. */
    @Test
    void logsHoldDebtsBeyondTheirUsualEntries() throws Exception {
        Limit log = Limit.named("wide").slidingLog(10, Duration.ofDays(1));
        AtomicLong micros = new AtomicLong(START);
        try (RedisEngine redis = RedisEngine.onTime(
                        server.uri(), prefix, Clock.system(), PATIENT, () -> Long.toString(micros.get()));
                LocalEngine local = LocalEngine.onTime(micros::get)) {
            redis.ready().toCompletableFuture().get(60, TimeUnit.SECONDS);
            for (Engine engine : List.of(redis, local)) {
                micros.set(START);
                Charge charge = reserve(engine, log, 1);
                List<Settlement> debts = new ArrayList<>();
                for (int i = 0; i < 1_200; i++) {
                    debts.add(Settlement.of(charge, 1_000_000_000, "debt" + i, WITHIN));
                }
                engine.settle(debts).toCompletableFuture().get(60, TimeUnit.SECONDS);
                micros.addAndGet(1_000_000);
                engine.settle(debts.subList(0, 3)).toCompletableFuture().get(60, TimeUnit.SECONDS);
                assertThat(settle(engine, Settlement.of(charge, 0, "back", WITHIN)))
                        .containsExactly(new SettlementResult(Kind.SETTLED, -1));
                assertThat(decide(engine, Demand.of(log, "k", 1)).allowed()).isFalse();
                assertThat(settle(engine, new Settlement(log, "k", 0, 3, micros.get(), "new", WITHIN)))
                        .containsExactly(new SettlementResult(Kind.SETTLED, 3));
            }
            for (long later : new long[] {0, 86_399_000_000L - 1, 1, 1_000_000}) {
                micros.addAndGet(later);
                assertThat(decide(redis, Demand.of(log, "k", 1))).isEqualTo(decide(local, Demand.of(log, "k", 1)));
            }
            assertThat(look(redis, log, "k").fits()).isTrue();
        }
    }

    /** The most that a count holds: one permit short of it, a settlement can charge one. */
    @Test
    void aDebtIsCutAtTheMostThatACountHolds() throws Exception {
        long most = 1_000_000_000_000_000L;
        long slice = Duration.ofDays(1).toMillis() * 1_000 / 2;
        Limit estimate = Limit.named("est")
                .slidingWindow(10, Duration.ofDays(1))
                .withSlices(2)
                .asEstimate();
        AtomicLong micros = new AtomicLong(START);
        try (RedisEngine redis =
                RedisEngine.onTime(server.uri(), prefix, Clock.system(), PATIENT, () -> Long.toString(micros.get()))) {
            redis.ready().toCompletableFuture().get(60, TimeUnit.SECONDS);
            write(
                    BUCKET,
                    "struct.pack('<I7I6I6I7I4I7', 999999999999999, 0, 8640000000, " + START + ", 1, " + START + ")");
            write(WINDOW, "struct.pack('<I7I7', " + windowStart(START) + ", 999999999999999)");
            write(estimate, "cmsgpack.pack({" + START / slice + ", 999999999999999})");
            String log = names.of(LOG, "k");
            server.command(
                    "EVAL",
                    "local e = struct.pack('<I7I7', ARGV[1], 999999999999999) redis.call('RPUSH', KEYS[1], e, e) return 1",
                    "1",
                    log,
                    Long.toString(START));
            for (Limit limit : List.of(BUCKET, WINDOW, estimate, LOG)) {
                Settlement huge = new Settlement(limit, "k", 0, 1_000_000_000, START, "huge", WITHIN);
                assertThat(settle(redis, huge)).as("%s", limit).containsExactly(new SettlementResult(Kind.SETTLED, 1));
                Settlement none = new Settlement(limit, "k", 0, 1_000_000_000, START, "none", WITHIN);
                assertThat(settle(redis, none)).as("%s", limit).containsExactly(new SettlementResult(Kind.SETTLED, 0));
                EngineDecision refused = decide(redis, Demand.of(limit, "k", 1));
                assertThat(refused.allowed()).isFalse();
                assertThat(refused.verdicts().get(0).retryAfterMicros()).isPositive();
                if (limit == estimate) {
                    // The oldest slice fades until nine are left of it, rounded up by less than a microsecond.
                    long fades = BigInteger.valueOf(9)
                            .multiply(BigInteger.valueOf(slice))
                            .divide(BigInteger.valueOf(most))
                            .longValueExact();
                    long end = (START / slice + 3) * slice;
                    assertThat(refused.verdicts().get(0).retryAfterMicros()).isEqualTo(end - fades - START);
                }
            }
        }
    }

    private static long windowStart(long micros) {
        return ((FixedWindow) WINDOW).windows().at(micros).startMicros();
    }

    private void write(Limit limit, String value) {
        server.command("EVAL", "return redis.call('SET', KEYS[1], " + value + ")", "1", names.of(limit, "k"));
    }

    /** A debt lives until it is paid, and the record of a settlement for as long as it can be repeated. */
    @Test
    void countsAndRecordsLiveAsLongAsTheyMatter() throws Exception {
        try (RedisEngine engine = connect(server.uri(), prefix)) {
            Limit hourly = Limit.named("hourly").tokenBucket(Rate.perHour(10)).withBurst(10);
            Charge charge = reserve(engine, hourly, 1);
            assertThat(settle(engine, settlement(charge, 1_000)))
                    .containsExactly(new SettlementResult(Kind.SETTLED, 999));
            String count = names.of(hourly, "k");
            long hours = server.command("PTTL", count).number() / 3_600_000;
            assertThat(hours).isBetween(99L, 102L);
            String record = names.settlement(count, "id");
            // A second longer, for clocks that step back, and rounded up by at most a 64th.
            long until = (charge.chargedAtMicros() + WITHIN) / 1_000;
            assertThat(server.command("PEXPIRETIME", record).number())
                    .isBetween(until + 1_000, until + WITHIN / 1_000 / 64 + 1_018);
            // A hundred hours later, a repetition is too old, whether the record is still there or not.
            Settlement late =
                    new Settlement(hourly, "k", 1, 1_000, charge.chargedAtMicros() - WITHIN - 1, "id", WITHIN);
            assertThat(settle(engine, late)).containsExactly(SettlementResult.UNKNOWN);
        }
    }

    @Test
    void settlesNothingWithoutMemoryForTheRecord() throws Exception {
        try (RedisServer own = RedisServer.start();
                RedisEngine engine = connect(own.uri(), prefix)) {
            Settlement first = settlement(reserve(engine, BUCKET, 5), 2);
            Settlement second = settlement(reserve(engine, LOG, 5), 2);
            settle(engine, first);
            own.command("CONFIG", "SET", "maxmemory", "1");
            assertThatThrownBy(() -> settle(engine, second)).hasRootCauseMessage("redis-oom");
            assertThat(settle(engine, first).get(0).kind()).isEqualTo(Kind.REPEATED);
            assertThat(look(engine, LOG, "k").remaining()).isEqualTo(5);
            own.command("CONFIG", "SET", "maxmemory", "0");
            assertThat(settle(engine, second)).containsExactly(new SettlementResult(Kind.SETTLED, -3));
        }
    }

    @Test
    void aRecordThatCannotBeReadSettlesNothing() throws Exception {
        try (RedisEngine engine = connect(server.uri(), prefix)) {
            Settlement some = settlement(reserve(engine, WINDOW, 5), 2);
            server.command("SET", names.settlement(names.of(WINDOW, "k"), "id"), "3 x");
            assertThat(settle(engine, some)).containsExactly(SettlementResult.UNKNOWN);
            assertThat(look(engine, WINDOW, "k").remaining()).isEqualTo(5);
        }
    }

    /** Redis replicates a count and the record of its settlement together. So a replica that takes over has both or neither. */
    @ParameterizedTest
    @MethodSource("limits")
    void aReplicaThatTakesOverHasTheCountAndItsRecordOrNeither(Limit limit) throws Exception {
        try (RedisPair pair = RedisPair.start();
                RedisEngine engine = connect(pair.uri(), prefix)) {
            Charge charge = reserve(engine, limit, 4);
            Settlement first = Settlement.of(charge, 6, "first", WITHIN);
            settle(engine, first);
            pair.awaitReplication();
            pair.stopReplication();
            Settlement second = Settlement.of(charge, 5, "second", WITHIN);
            assertThat(settle(engine, second)).containsExactly(new SettlementResult(Kind.SETTLED, 1));
            assertThat(look(engine, limit, "k").remaining()).isEqualTo(3);
            pair.killPrimary();
            pair.takeOver();
            Awaitility.await().atMost(PATIENCE).until(engine::isReady);
            assertThat(look(engine, limit, "k").remaining())
                    .as("the second one is lost")
                    .isEqualTo(4);
            assertThat(settle(engine, first, second))
                    .containsExactly(new SettlementResult(Kind.REPEATED, 2), new SettlementResult(Kind.SETTLED, 1));
            assertThat(look(engine, limit, "k").remaining()).isEqualTo(3);
        }
    }

    /**
     * A store that lost everything settles a repetition anew. Buckets and logs then free nothing. Windows may free what others used
     * since, up to the difference of the figures. A debt is charged again, which is not more than was really used.
     */
    @ParameterizedTest
    @MethodSource("limits")
    void afterALossARepetitionFreesAtMostTheDifferenceOfItsFigures(Limit limit) throws Exception {
        try (RedisServer own = RedisServer.start();
                RedisEngine engine = connect(own.uri(), prefix)) {
            Settlement less = settlement(reserve(engine, limit, 8), 3);
            Settlement more = Settlement.of(reserve(engine, limit, 1), 4, "more", WITHIN);
            List<SettlementResult> first = settle(engine, less, more);
            assertGivenBack(limit, 5, first.get(0));
            assertThat(first.get(1)).isEqualTo(new SettlementResult(Kind.SETTLED, 3));
            own.kill();
            own.restart();
            Awaitility.await().atMost(PATIENCE).until(engine::isReady);
            assertThat(look(engine, limit, "k").remaining())
                    .as("everything is lost")
                    .isEqualTo(10);
            reserve(engine, limit, 7);
            SettlementResult again = settle(engine, less).get(0);
            assertThat(again.kind()).isEqualTo(Kind.SETTLED);
            boolean exact = limit == BUCKET || limit == LOG;
            assertThat(again.givenBack()).isEqualTo(exact ? 0 : 5);
            assertThat(look(engine, limit, "k").remaining()).isEqualTo(exact ? 3 : 8);
            assertThat(settle(engine, more, less))
                    .containsExactly(
                            new SettlementResult(Kind.SETTLED, 3), new SettlementResult(Kind.REPEATED, again.change()));
            assertThat(look(engine, limit, "k").remaining()).isEqualTo(exact ? 0 : 5);
        }
    }
}
