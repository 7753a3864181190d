package io.sluice.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.core.limit.Limit;
import io.sluice.core.limit.Rate;
import io.sluice.core.spi.Answer;
import io.sluice.core.spi.Ask;
import io.sluice.core.spi.Charge;
import io.sluice.core.spi.Demand;
import io.sluice.core.spi.Engine;
import io.sluice.core.spi.EngineDecision;
import io.sluice.core.spi.EngineFailure;
import io.sluice.core.spi.Outcome;
import io.sluice.core.spi.PendingOutcome;
import io.sluice.core.spi.Verdict;
import io.sluice.core.time.Clock;
import io.sluice.redis.internal.link.RedisOptions;
import io.sluice.redis.internal.refusal.DenyCache;
import io.sluice.redis.internal.wire.RedisKeys;
import io.sluice.redis.store.StoreListener;
import io.sluice.testkit.SeededRandom;
import io.sluice.testkit.engine.GoldenVector;
import io.sluice.testkit.redis.RedisCluster;
import io.sluice.testkit.redis.RedisServer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

final class ClusterEngineTest {

    private static final AtomicInteger PREFIXES = new AtomicInteger();
    private static final Limit TEN =
            Limit.named("ten").tokenBucket(Rate.perDay(10)).withBurst(10);
    private static final Limit THREE = Limit.named("three").slidingLog(3, Duration.ofMinutes(10));
    private static final Limit HUNDRED = Limit.named("hundred").fixedWindow(100, Duration.ofDays(1));

    /** Never mistakes a slow machine for a Redis that hangs. */
    private static final RedisOptions PATIENT = RedisOptions.defaults().slow(Duration.ofMinutes(1));

    private static RedisCluster cluster;

    @BeforeAll
    static void startRedis() {
        cluster = RedisCluster.shared();
    }

    /**
     * The suite that every engine passes. Each test has its counts in one slot. A request over several slots is decided in steps,
     * so two requests may refuse each other; separate tests below cover that.
     */
    @Nested
    final class InOneSlot extends RedisConformance {

        /** The functions are those of a single server, on which {@link RedisEngineTest} replays all. */
        @Override
        protected List<GoldenVector> chosen(List<GoldenVector> vectors) {
            return SeededRandom.sample(vectors, Math.max(1, vectors.size() / 8));
        }

        @Override
        RedisEngine connect(String prefix, Supplier<String> time) {
            return RedisEngine.onTime(cluster.uri(), "{" + prefix + "}", Clock.system(), PATIENT, time);
        }

        @Override
        List<RedisServer> servers() {
            return cluster.primaries();
        }
    }

    @Test
    void chargesNothingAnywhereWhenALimitInAnotherSlotRefuses() throws Exception {
        try (RedisEngine engine = connect(prefix())) {
            Ask both = ask(Demand.of(TEN, "shared", 1), Demand.of(THREE, "caller", 1), Demand.of(HUNDRED, "all", 2));
            for (int i = 0; i < 3; i++) {
                EngineDecision allowed = decided(engine.decide(both));
                assertThat(allowed.allowed()).isTrue();
                assertThat(allowed.verdicts())
                        .extracting(Verdict::remaining)
                        .containsExactly(9L - i, 2L - i, 98L - 2L * i);
                assertThat(allowed.verdicts()).extracting(Verdict::granted).containsExactly(1L, 1L, 2L);
            }
            for (int i = 0; i < 50; i++) {
                EngineDecision refused = decided(engine.decide(both));
                assertThat(refused.allowed()).isFalse();
                assertThat(refused.verdicts()).extracting(Verdict::fits).containsExactly(true, false, true);
                assertThat(refused.verdicts()).extracting(Verdict::granted).containsOnly(0L);
                assertThat(refused.verdicts()).extracting(Verdict::remaining).containsExactly(7L, 0L, 94L);
                assertThat(refused.charges(both)).isEmpty();
            }
            assertThat(remaining(engine, TEN, "shared")).isEqualTo(7);
            assertThat(remaining(engine, HUNDRED, "all")).isEqualTo(94);
        }
    }

    @Test
    void refusalsOfManyCallersSayWhatALoneCallerWouldFind() throws Exception {
        try (RedisEngine engine = connect(prefix())) {
            Ask both = ask(Demand.of(TEN, "shared", 1), Demand.of(THREE, "caller", 1));
            for (int i = 0; i < 3; i++) {
                assertThat(decided(engine.decide(both)).allowed()).isTrue();
            }
            assertThat(decided(engine.decide(both)).allowed()).isFalse();
            // The first refusal may still be giving back.
            Awaitility.await().atMost(Duration.ofMinutes(1)).untilAsserted(() -> assertThat(
                            remaining(engine, TEN, "shared"))
                    .isEqualTo(7));
            Set<Long> told = ConcurrentHashMap.newKeySet();
            inParallel(8, thread -> {
                for (int i = 0; i < 100; i++) {
                    EngineDecision refused = decided(engine.decide(both));
                    assertThat(refused.allowed()).isFalse();
                    told.add(refused.verdicts().get(0).remaining());
                }
            });
            assertThat(told).containsExactly(7L);
        }
    }

    @Test
    void aRefusalIsNotExpectedAnyLongerOnceARequestPasses() throws Exception {
        try (RedisEngine engine = connect(prefix())) {
            Ask both = ask(Demand.of(TEN, "shared", 1), Demand.of(THREE, "caller", 3));
            EngineDecision first = decided(engine.decide(both));
            assertThat(first.allowed()).isTrue();
            assertThat(decided(engine.decide(both)).allowed()).isFalse();
            done(engine.giveBack(first.charges(both)));
            assertThat(decided(engine.decide(both)).allowed()).isTrue();
            // The first refusal may still be giving back.
            Awaitility.await().atMost(Duration.ofMinutes(1)).untilAsserted(() -> assertThat(
                            remaining(engine, TEN, "shared"))
                    .isEqualTo(9));
        }
    }

    /** Charges that are taken back are announced like every return of permits, and must not hide what is known of a count. */
    @Test
    void repeatedRefusalsFromMemoryReportWhatTheOtherSlotHasLeft() throws Exception {
        String prefix = prefix();
        try (DenyCache engine = DenyCache.over(connect(prefix), cluster.uri(), prefix, Clock.system(), PATIENT)) {
            Awaitility.await().atMost(Duration.ofMinutes(5)).until(engine::isTold);
            Ask both = ask(Demand.of(HUNDRED, "all", 1), Demand.of(THREE, "caller", 1));
            for (int i = 0; i < 3; i++) {
                assertThat(decided(engine.decide(both)).allowed()).isTrue();
            }
            for (int i = 0; i < 200; i++) {
                assertThat(decided(engine.decide(both)).verdicts())
                        .extracting(Verdict::remaining)
                        .containsExactly(97L, 0L);
            }
            // While several callers are refused at once, each may see charges of the others that are not taken back
            // yet.
            inParallel(8, thread -> {
                for (int i = 0; i < 50; i++) {
                    assertThat(decided(engine.decide(both)).allowed()).isFalse();
                }
            });
            Awaitility.await().atMost(Duration.ofMinutes(5)).untilAsserted(() -> assertThat(
                            decided(engine.decide(both)).verdicts())
                    .extracting(Verdict::remaining)
                    .containsExactly(97L, 0L));
            for (int i = 0; i < 50; i++) {
                assertThat(decided(engine.decide(both)).verdicts())
                        .extracting(Verdict::remaining)
                        .containsExactly(97L, 0L);
            }
            assertThat(engine.remembered()).isPositive();
        }
    }

    @Test
    void looksIntoSeveralSlotsWithoutCharging() throws Exception {
        try (RedisEngine engine = connect(prefix())) {
            Ask look = ask(Demand.of(TEN, "a", 4), Demand.of(THREE, "b", 4)).looking();
            for (int i = 0; i < 3; i++) {
                EngineDecision decided = decided(engine.decide(look));
                assertThat(decided.allowed()).isFalse();
                assertThat(decided.verdicts()).extracting(Verdict::fits).containsExactly(true, false);
                assertThat(decided.verdicts()).extracting(Verdict::remaining).containsExactly(10L, 3L);
            }
        }
    }

    @Test
    void givesBackAndRenewsInAnySlot() throws Exception {
        Limit slots = Limit.named("slots").concurrency(2, Duration.ofMinutes(1));
        try (RedisEngine engine = connect(prefix())) {
            List<Demand> demands = new ArrayList<>();
            for (int i = 0; i < 20; i++) {
                demands.add(Demand.of(i % 2 == 0 ? TEN : slots, "k" + i, 2));
            }
            Ask ask = Ask.charging(demands);
            EngineDecision decided = decided(engine.decide(ask));
            assertThat(decided.allowed()).isTrue();
            List<Charge> charges = decided.charges(ask);
            assertThat(charges).hasSize(20);
            assertThat(done(engine.renew(charges.get(1)))).isTrue();
            done(engine.giveBack(charges));
            assertThat(done(engine.renew(charges.get(1)))).isFalse();
            for (Demand demand : demands) {
                assertThat(remaining(engine, demand.limit(), demand.key()))
                        .isEqualTo(demand.limit().capacity());
            }
        }
    }

    @Test
    void neverOverAdmitsAcrossSlotsAndReturnsChargesOfRefusedRequests() throws Exception {
        String prefix = prefix();
        try (RedisEngine one = connect(prefix);
                RedisEngine two = connect(prefix)) {
            AtomicInteger[] admitted = new AtomicInteger[8];
            for (int i = 0; i < admitted.length; i++) {
                admitted[i] = new AtomicInteger();
            }
            AtomicInteger all = new AtomicInteger();
            inParallel(8, thread -> {
                for (int i = 0; i < 60; i++) {
                    int key = (thread + i) % admitted.length;
                    // In a different order each time, so that requests collide.
                    Demand caller = Demand.of(TEN, "caller" + key, 1);
                    Demand shared = Demand.of(HUNDRED, "shared", 2);
                    Ask ask = i % 2 == 0 ? ask(caller, shared) : ask(shared, caller);
                    if (decided((i % 3 == 0 ? one : two).decide(ask)).allowed()) {
                        admitted[key].incrementAndGet();
                        all.incrementAndGet();
                    }
                }
            });
            assertThat(all.get()).isBetween(1, 50);
            // Refunds are under way when the last refusal has arrived.
            Awaitility.await().atMost(Duration.ofMinutes(1)).untilAsserted(() -> {
                assertThat(remaining(one, HUNDRED, "shared")).isEqualTo(100 - 2L * all.get());
                for (int i = 0; i < admitted.length; i++) {
                    assertThat(remaining(two, TEN, "caller" + i)).isEqualTo(10 - admitted[i].get());
                }
            });
            // A single caller has no competition, so it can have everything that is left.
            int left = 50 - all.get();
            for (int i = 0; i < left; i++) {
                assertThat(decided(one.decide(ask(Demand.of(HUNDRED, "shared", 2), Demand.of(TEN, "fresh" + i, 1))))
                                .allowed())
                        .isTrue();
            }
            assertThat(decided(one.decide(ask(Demand.of(HUNDRED, "shared", 1), Demand.of(TEN, "fresh", 1))))
                            .allowed())
                    .isFalse();
        }
    }

    @Test
    void spreadsCountsOverAllPrimariesAndLoadsTheFunctionOnEach() throws Exception {
        String prefix = prefix();
        for (RedisServer primary : cluster.primaries()) {
            primary.command("FUNCTION", "FLUSH");
        }
        try (RedisEngine engine = connect(prefix)) {
            for (RedisServer primary : cluster.primaries()) {
                primary.command("FUNCTION", "FLUSH");
            }
            for (int i = 0; i < 300; i++) {
                assertThat(decided(engine.decide(ask(Demand.of(TEN, "k" + i, 1))))
                                .allowed())
                        .isTrue();
            }
            Set<RedisServer> holding = new HashSet<>();
            for (RedisServer primary : cluster.primaries()) {
                if (!primary.command("KEYS", prefix + ":*").texts().isEmpty()) {
                    holding.add(primary);
                }
            }
            assertThat(holding).hasSize(3);
        }
    }

    @Test
    void decidesRequestsLargerThanABatchInOneSlotAndInMany() throws Exception {
        try (RedisEngine engine = connect(prefix())) {
            List<Demand> many = new ArrayList<>();
            for (int i = 0; i < 1_000; i++) {
                many.add(Demand.of(TEN, "k" + i, 3));
            }
            Ask ask = Ask.charging(many);
            for (int i = 0; i < 3; i++) {
                assertThat(decided(engine.decide(ask)).allowed()).isTrue();
            }
            assertThat(decided(engine.decide(ask)).allowed()).isFalse();
            assertThat(remaining(engine, TEN, "k999")).isEqualTo(1);
        }
    }

    @Test
    void decidesTaggedCountsInOneStepAndNoOthers() throws Exception {
        String prefix = prefix();
        AtomicInteger calls = new AtomicInteger();
        RedisOptions options = PATIENT.hashTags(true).listener(new StoreListener() {
            @Override
            public void called(String outcome, int decisions, long nanos) {
                calls.incrementAndGet();
            }
        });
        try (RedisEngine engine = RedisEngine.connect(cluster.uri(), prefix, Clock.system(), options)) {
            done(engine.ready());
            Ask tagged = ask(
                    Demand.of(TEN, "{acme}tenant=acme", 1),
                    Demand.of(THREE, "{acme}tenant=acme&user=7", 1),
                    Demand.of(HUNDRED, "{acme}", 1));
            for (int i = 0; i < 3; i++) {
                assertThat(decided(engine.decide(tagged)).allowed()).isTrue();
            }
            EngineDecision refused = decided(engine.decide(tagged));
            assertThat(refused.verdicts()).extracting(Verdict::remaining).containsExactly(7L, 0L, 97L);
            assertThat(calls).hasValue(4);
            Ask more = ask(Demand.of(TEN, "{acme}tenant=acme", 1), Demand.of(HUNDRED, "everybody", 1));
            assertThat(decided(engine.decide(more)).allowed()).isTrue();
            assertThat(calls).hasValue(6);
        }
    }

    @Test
    void cachesRefusalsUntilAnotherProcessGivesBackInAnySlot() throws Exception {
        String prefix = prefix();
        RedisOptions tags = PATIENT.hashTags(true);
        try (RedisEngine other = RedisEngine.connect(cluster.uri(), prefix, Clock.system(), tags);
                RedisEngine behind = RedisEngine.connect(cluster.uri(), prefix, Clock.system(), tags);
                DenyCache engine = DenyCache.over(behind, cluster.uri(), prefix, Clock.system(), tags)) {
            done(other.ready());
            done(behind.ready());
            Awaitility.await().atMost(Duration.ofMinutes(1)).until(engine::isTold);
            for (String key : List.of("{acme}a", "{acme}b", "c", "d", "e")) {
                Ask all = ask(Demand.of(TEN, key, 10), Demand.of(HUNDRED, key, 1));
                EngineDecision charged = decided(other.decide(all));
                assertThat(charged.allowed()).isTrue();
                Ask one = ask(Demand.of(TEN, key, 1), Demand.of(HUNDRED, key, 1));
                assertThat(decided(engine.decide(one)).allowed()).isFalse();
                long before = engine.remembered();
                Awaitility.await().atMost(Duration.ofMinutes(1)).until(() -> {
                    assertThat(decided(engine.decide(one)).allowed()).isFalse();
                    return engine.remembered() > before;
                });
                done(other.giveBack(charged.charges(all)));
                Awaitility.await().atMost(Duration.ofMinutes(1)).until(() -> decided(engine.decide(one))
                        .allowed());
            }
        }
    }

    @Test
    void keepsApartTaggedKeysThatLookAlike() {
        RedisKeys names = new RedisKeys("p", true);
        Set<String> all = new HashSet<>();
        List<String> keys = List.of(
                "{a}b", "{a}", "{a}{b}", "{a}}b", "a", "{}", "{}a", "{", "{a", "%7ba}b", "{{a}b", "{a:b}c", "{a}:b");
        keys.forEach(key -> all.add(names.of(TEN, key)));
        assertThat(all).hasSize(keys.size());
        assertThat(names.of(TEN, "{a}b")).isEqualTo("p:{a}:ten:tb:b");
        assertThat(RedisCluster.slotOf(names.of(TEN, "{a}b"))).isEqualTo(RedisCluster.slotOf("a"));
        assertThat(new RedisKeys("p").of(TEN, "{a}b")).isEqualTo("p:ten:tb:%7ba%7db");
        assertThat(new String(
                        RedisKeys.numbering(names.of(TEN, "{a}b").getBytes(StandardCharsets.UTF_8)),
                        StandardCharsets.UTF_8))
                .isEqualTo("p:{a}:ten:tb:b#n");
    }

    @Test
    void rejectsInvalidAddressesAndPrefixes() {
        assertThatThrownBy(() -> RedisEngine.connect("redis-cluster://:secret@", "p", Clock.system()))
                .hasMessageStartingWith("redis: \"redis-cluster://***@\" (expected: ");
        assertThatThrownBy(() -> RedisEngine.connect("redis-cluster://:a@b,,c:1", "p", Clock.system()))
                .hasMessageStartingWith("redis: \"redis-cluster://***@b,,c:1\" (expected: ");
        assertThatThrownBy(() -> RedisEngine.connect("redis-cluster://h:1,h:2/3", "p", Clock.system()))
                .isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> RedisEngine.connect("redis-cluster://h:nan", "p", Clock.system()))
                .isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> RedisEngine.connect(cluster.uri(), "{all}", Clock.system()))
                .hasMessage("prefix: \"{all}\" (expected: no braces, which would put all counts into one slot)");
    }

    @Test
    void reportsTheWrongKindOfServer() throws Exception {
        RedisServer alone = RedisServer.shared();
        try (RedisEngine engine =
                RedisEngine.connect(alone.uri().replace("redis://", "redis-cluster://"), "p", Clock.system())) {
            Awaitility.await().atMost(Duration.ofMinutes(1)).untilAsserted(() -> assertThat(
                            engine.state().cause())
                    .isEqualTo("ERR This instance has cluster support disabled"
                            + " (expected: a node of a Cluster, or redis:// for a single server)"));
            assertThat(engine.isReady()).isFalse();
            assertThat(engine.decide(ask(Demand.of(TEN, "k", 1))))
                    .isEqualTo(new EngineFailure("redis-disconnected", false));
        }
        RedisServer node = cluster.primaries().get(0);
        try (RedisEngine engine = RedisEngine.connect(node.uri(), "p", Clock.system())) {
            Awaitility.await().atMost(Duration.ofMinutes(1)).untilAsserted(() -> assertThat(engine.findings())
                    .containsExactly("Redis at 127.0.0.1:" + node.port()
                            + ": a node of a Cluster, which holds only some of the counts (expected:"
                            + " redis-cluster://127.0.0.1:" + node.port() + ")"));
        }
    }

    private static RedisEngine connect(String prefix) throws Exception {
        RedisEngine engine = RedisEngine.connect(cluster.uri(), prefix, Clock.system(), PATIENT);
        done(engine.ready());
        return engine;
    }

    private static String prefix() {
        return "cluster" + PREFIXES.incrementAndGet();
    }

    private static Ask ask(Demand... demands) {
        return Ask.charging(List.of(demands));
    }

    private static long remaining(Engine engine, Limit limit, String key) {
        Ask look = ask(Demand.of(limit, key, 1)).looking();
        return decided(engine.decide(look)).verdicts().get(0).remaining();
    }

    private static EngineDecision decided(Answer answer) {
        return (EngineDecision) outcome(answer).orTimeout(60, TimeUnit.SECONDS).join();
    }

    private static CompletableFuture<Outcome> outcome(Answer answer) {
        return answer instanceof PendingOutcome pending
                ? pending.outcome().toCompletableFuture()
                : CompletableFuture.completedFuture((Outcome) answer);
    }

    private static <T> T done(CompletionStage<T> stage) throws Exception {
        return stage.toCompletableFuture().get(60, TimeUnit.SECONDS);
    }

    private interface Task {

        void run(int thread) throws Exception;
    }

    private static void inParallel(int threads, Task task) throws Exception {
        ExecutorService pool = Executors.newFixedThreadPool(threads);
        try {
            List<Future<?>> running = new ArrayList<>();
            for (int i = 0; i < threads; i++) {
                int thread = i;
                running.add(pool.submit(() -> {
                    task.run(thread);
                    return null;
                }));
            }
            for (Future<?> each : running) {
                each.get(60, TimeUnit.SECONDS);
            }
        } finally {
            pool.shutdownNow();
        }
    }
}
