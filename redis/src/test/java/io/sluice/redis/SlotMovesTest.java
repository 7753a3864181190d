package io.sluice.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.core.limit.LeakyBucket;
import io.sluice.core.limit.Limit;
import io.sluice.core.limit.Rate;
import io.sluice.core.limit.TokenBucket;
import io.sluice.core.spi.Answer;
import io.sluice.core.spi.Ask;
import io.sluice.core.spi.Charge;
import io.sluice.core.spi.Demand;
import io.sluice.core.spi.EngineDecision;
import io.sluice.core.spi.Outcome;
import io.sluice.core.spi.PendingOutcome;
import io.sluice.core.spi.Settlement;
import io.sluice.core.spi.SettlementResult;
import io.sluice.core.spi.Verdict;
import io.sluice.core.time.Clock;
import io.sluice.redis.internal.link.Coalescer;
import io.sluice.redis.internal.link.RedisOptions;
import io.sluice.redis.internal.wire.RedisKeys;
import io.sluice.testkit.SeededRandom;
import io.sluice.testkit.redis.RedisCluster;
import io.sluice.testkit.redis.RedisServer;
import io.sluice.testkit.redis.SlotMove;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Slots on the move: no error, and nothing is charged twice. */
final class SlotMovesTest {

    private static final Limit BUCKET =
            Limit.named("bucket").tokenBucket(Rate.perDay(1)).withBurst(100_000_000);
    private static final Limit WINDOW = Limit.named("window").fixedWindow(100_000_000, Duration.ofDays(300));
    private static final Limit LOG = Limit.named("log").slidingLog(2_000, Duration.ofHours(5));
    private static final Limit HELD = Limit.named("held").concurrency(1_000, Duration.ofHours(5));
    private static final List<Limit> LIMITS = List.of(BUCKET, WINDOW, LOG, HELD);
    private static final String TAG = "{moving}";
    private static final int SLOT = RedisCluster.slotOf(TAG);

    private static RedisCluster cluster;

    @BeforeAll
    static void startRedis() {
        cluster = RedisCluster.start();
        // As in docs/how-to/redis.md, with the tag of this test in place of the prefix.
        String rules = "on >secret resetchannels ~" + TAG + "* -@all +hello +auth +ping +fcall +function|load"
                + " +time +get +mget +set +del +pexpire +lrange +rpush +ltrim +lset +lrem +llen +lindex"
                + " +zrange +zcount +zscore +zadd +zrem +zremrangebyscore +exists +cluster|shards +cluster|info +asking";
        for (RedisServer node : cluster.nodes()) {
            String[] command = ("ACL SETUSER sluice " + rules).split(" ");
            assertThat(node.command(command).text()).isEqualTo("OK");
        }
    }

    @AfterAll
    static void stopRedis() {
        cluster.close();
    }

    @Test
    void losesNoDecisionAndChargesNothingTwiceWhileASlotMovesBackAndForth() throws Exception {
        int moves = SeededRandom.scaled(8, 300);
        Load load = new Load(TAG + "load");
        try (RedisEngine engine = connect(TAG + "load")) {
            ExecutorService pool = Executors.newFixedThreadPool(6);
            AtomicBoolean over = new AtomicBoolean();
            List<Future<?>> running = new ArrayList<>();
            for (int i = 0; i < 6; i++) {
                Random random = new Random(i);
                running.add(pool.submit(() -> {
                    while (!over.get()) {
                        load.askSome(engine, random);
                    }
                }));
            }
            try {
                for (int i = 0; i < moves; i++) {
                    cluster.moveSlot(SLOT, another(cluster.ownerOf(SLOT)));
                }
            } finally {
                over.set(true);
                for (Future<?> each : running) {
                    each.get(60, TimeUnit.SECONDS);
                }
                pool.shutdownNow();
            }
            assertThat(load.errors).isEmpty();
            load.assertChargedOnce(engine);
            System.out.printf(
                    "%d moves of a slot under load: %d decisions, %d give-backs, 0 errors, 0 charged twice%n",
                    moves, load.decisions.get(), load.givenBack.get());
        }
    }

    @Test
    void decidesDuringAMoveWhicheverKeysHaveMoved() throws Exception {
        String prefix = TAG + "middle";
        RedisKeys names = new RedisKeys(prefix);
        try (RedisEngine engine = connect(prefix)) {
            for (String key : List.of("gone", "here")) {
                for (Limit limit : LIMITS) {
                    assertThat(decided(engine, Demand.of(limit, key, 1)).allowed())
                            .isTrue();
                }
            }
            SlotMove move = cluster.beginMove(SLOT, another(cluster.ownerOf(SLOT)));
            move.migrateKeys(
                    LIMITS.stream().map(limit -> names.of(limit, "gone")).toArray(String[]::new));
            // One key at a time: a key that has moved, one that is still here, and one that never existed.
            for (String key : List.of("gone", "here", "new")) {
                for (Limit limit : LIMITS) {
                    assertThat(decided(engine, Demand.of(limit, key, 1)).verdicts())
                            .extracting(Verdict::remaining)
                            .containsExactly(limit.capacity() - (key.equals("new") ? 1 : 2));
                }
            }
            // All keys at once, in both places and in neither: TRYAGAIN, however often.
            List<Demand> all = new ArrayList<>();
            for (String key : List.of("gone", "here", "newer")) {
                LIMITS.forEach(limit -> all.add(Demand.of(limit, key, 2)));
            }
            Ask ask = Ask.charging(all);
            EngineDecision decided = decided(engine, ask);
            assertThat(decided.allowed()).isTrue();
            for (int i = 0; i < all.size(); i++) {
                long before = all.get(i).key().equals("newer") ? 0 : 2;
                assertThat(decided.verdicts().get(i).remaining())
                        .isEqualTo(all.get(i).limit().capacity() - before - 2);
            }
            // One refuses: the charges of the others are returned.
            List<Demand> tooMuch = new ArrayList<>(all);
            tooMuch.set(0, Demand.of(BUCKET, "gone", BUCKET.capacity()));
            tooMuch.replaceAll(demand -> demand.limit() == HELD ? demand.heldBy("another") : demand);
            assertThat(decided(engine, Ask.charging(tooMuch)).allowed()).isFalse();
            engine.giveBack(decided.charges(ask)).toCompletableFuture().get(60, TimeUnit.SECONDS);
            for (Demand demand : all) {
                long left = demand.limit().capacity() - (demand.key().equals("newer") ? 0 : 2);
                // A refund leaves used what had drained by then; that drains again in the same time.
                Awaitility.await().atMost(Duration.ofMinutes(1)).untilAsserted(() -> assertThat(
                                remaining(engine, demand.limit(), demand.key()))
                        .as("%s %s", demand.limit(), demand.key())
                        .isEqualTo(left));
            }
            move.migrateAllKeys();
            move.finish();
            cluster.awaitOk();
            for (Limit limit : LIMITS) {
                assertThat(remaining(engine, limit, "gone")).isEqualTo(limit.capacity() - 2);
            }
        }
    }

    @Test
    void takesBackTheLastPermitAndGrantsItAgainInOneBatchWhileASlotMoves() throws Exception {
        // In a slot that is leaving, no key can be created: emptied keys must stay until the end of a batch.
        String prefix = TAG + "last";
        Limit one = Limit.named("one").concurrency(1, Duration.ofHours(1));
        Limit log = Limit.named("one-log").slidingLog(1, Duration.ofHours(1));
        try (RedisEngine engine = connect(prefix)) {
            for (Limit limit : List.of(one, log)) {
                Ask first = Ask.charging(List.of(Demand.of(limit, "k", 1)));
                List<Charge> charges = decided(engine, first).charges(first);
                SlotMove move = cluster.beginMove(SLOT, another(cluster.ownerOf(SLOT)));
                List<CompletableFuture<Outcome>> asks = new ArrayList<>();
                move.from().freeze();
                for (int i = 0; i < Coalescer.MOST_UNDER_WAY; i++) {
                    asks.add(outcome(engine.decide(
                            Ask.charging(List.of(Demand.of(BUCKET, "busy", 1))).looking())));
                }
                engine.giveBack(charges);
                Ask again = Ask.charging(List.of(Demand.of(limit, "k", 1)));
                asks.add(outcome(engine.decide(again)));
                asks.add(outcome(engine.decide(Ask.charging(List.of(Demand.of(limit, "k", 1))))));
                move.from().thaw();
                for (int i = 0; i < asks.size(); i++) {
                    assertThat(asks.get(i).get(60, TimeUnit.SECONDS)).isInstanceOf(EngineDecision.class);
                }
                assertThat(((EngineDecision) asks.get(asks.size() - 2).join()).allowed())
                        .isTrue();
                assertThat(((EngineDecision) asks.get(asks.size() - 1).join()).allowed())
                        .isFalse();
                move.migrateAllKeys();
                move.finish();
                cluster.awaitOk();
            }
        }
    }

    @Test
    void followsASlotToAnUnknownNode() throws Exception {
        // All slots of a node go to its replica, which takes over. There is no link to it yet.
        String prefix = TAG + "over";
        try (RedisEngine engine = connect(prefix)) {
            assertThat(decided(engine, Demand.of(BUCKET, "k", 1)).allowed()).isTrue();
            cluster.awaitReplicationOf(SLOT);
            AtomicBoolean over = new AtomicBoolean();
            ConcurrentLinkedQueue<Outcome> outcomes = new ConcurrentLinkedQueue<>();
            CompletableFuture<Void> asking = CompletableFuture.runAsync(() -> {
                while (!over.get()) {
                    outcomes.add(outcome(engine.decide(Ask.charging(List.of(Demand.of(BUCKET, "k", 1)))))
                            .join());
                }
            });
            cluster.failOver(SLOT);
            over.set(true);
            asking.get(60, TimeUnit.SECONDS);
            assertThat(outcomes).allSatisfy(outcome -> assertThat(outcome).isInstanceOf(EngineDecision.class));
            assertThat(remaining(engine, BUCKET, "k")).isEqualTo(BUCKET.capacity() - 1 - outcomes.size());
        }
    }

    /** Requests of every kind on counts of one slot, and the charges expected afterwards. */
    private static final class Load {

        private static final int KEYS = 5;

        private final ConcurrentLinkedQueue<Object> errors = new ConcurrentLinkedQueue<>();
        private final Map<String, AtomicLong> charged = new ConcurrentHashMap<>();
        private final AtomicInteger decisions = new AtomicInteger();
        private final AtomicInteger givenBack = new AtomicInteger();
        private final RedisKeys names;

        Load(String prefix) {
            this.names = new RedisKeys(prefix);
        }

        void askSome(RedisEngine engine, Random random) {
            List<Ask> asks = new ArrayList<>();
            List<CompletableFuture<Outcome>> outcomes = new ArrayList<>();
            for (int i = 0; i < 8; i++) {
                List<Demand> demands = new ArrayList<>();
                for (Limit limit : LIMITS) {
                    if (demands.isEmpty() || random.nextInt(3) == 0) {
                        demands.add(Demand.of(
                                LIMITS.get((LIMITS.indexOf(limit) + i) % LIMITS.size()),
                                "k" + random.nextInt(KEYS),
                                1 + random.nextInt(2)));
                    }
                }
                Ask ask = Ask.charging(demands);
                asks.add(ask);
                outcomes.add(outcome(engine.decide(ask)));
            }
            for (int i = 0; i < asks.size(); i++) {
                Outcome outcome =
                        outcomes.get(i).orTimeout(60, TimeUnit.SECONDS).join();
                if (outcome instanceof EngineDecision decided) {
                    decisions.incrementAndGet();
                    count(engine, asks.get(i), decided, random);
                } else {
                    errors.add(outcome);
                }
            }
        }

        /** Returns concurrency permits, and some of the others. */
        private void count(RedisEngine engine, Ask ask, EngineDecision decided, Random random) {
            List<Charge> back = new ArrayList<>();
            for (Charge charge : decided.charges(ask)) {
                if (charge.isHeld() || random.nextInt(4) < (charge.limit() == LOG ? 3 : 1)) {
                    back.add(charge);
                } else {
                    charged.computeIfAbsent(names.of(charge.limit(), charge.key()), name -> new AtomicLong())
                            .addAndGet(charge.permits());
                }
            }
            if (!back.isEmpty()) {
                givenBack.incrementAndGet();
                engine.giveBack(back).toCompletableFuture().exceptionally(failure -> {
                    errors.add(failure);
                    return null;
                });
            }
        }

        void assertChargedOnce(RedisEngine engine) {
            for (Limit limit : LIMITS) {
                for (int key = 0; key < KEYS; key++) {
                    AtomicLong expected = charged.getOrDefault(names.of(limit, "k" + key), new AtomicLong());
                    // After a refund to a bucket, what had drained by then stays used: a tiny part of a permit.
                    boolean rounds = limit instanceof TokenBucket || limit instanceof LeakyBucket;
                    assertThat(limit.capacity() - remaining(engine, limit, "k" + key))
                            .as("%s k%d", limit, key)
                            .isBetween(expected.get(), expected.get() + (rounds ? 1 : 0));
                }
            }
        }
    }

    private static RedisEngine connect(String prefix) throws Exception {
        // All counts of a test are in one slot. Slow machines are not under test here.
        RedisOptions patient = RedisOptions.defaults().slow(Duration.ofMinutes(1));
        String uri = cluster.uri().replace("redis-cluster://", "redis-cluster://sluice:secret@");
        RedisEngine engine = RedisEngine.onTime(uri, prefix, Clock.system(), patient, () -> "");
        engine.ready().toCompletableFuture().get(60, TimeUnit.SECONDS);
        return engine;
    }

    /** The count and the record of a settlement may be apart for a while. It is settled once, when the slot has moved. */
    @Test
    void settlesOnceWhileASlotMoves() throws Exception {
        String prefix = TAG + "settle";
        RedisKeys names = new RedisKeys(prefix);
        try (RedisEngine engine = connect(prefix)) {
            List<Limit> limits = List.of(BUCKET, WINDOW, LOG);
            List<Settlement> settlements = new ArrayList<>();
            for (Limit limit : limits) {
                for (String key : List.of("settled-gone", "settled-here", "settled-split")) {
                    Ask ask = Ask.charging(List.of(Demand.of(limit, key, 5)));
                    Charge charge = decided(engine, ask).charges(ask).get(0);
                    settlements.add(Settlement.of(charge, 9, "id", 3_600_000_000L));
                }
            }
            List<Settlement> before = settlements.stream()
                    .filter(each -> each.key().equals("settled-split"))
                    .toList();
            engine.settle(before).toCompletableFuture().get(60, TimeUnit.SECONDS);
            SlotMove move = cluster.beginMove(SLOT, another(cluster.ownerOf(SLOT)));
            for (Limit limit : limits) {
                move.migrateKeys(names.of(limit, "settled-gone"));
                // The count has moved, and its record is still here.
                move.migrateKeys(names.of(limit, "settled-split"));
            }
            CompletableFuture<List<SettlementResult>> results =
                    engine.settle(settlements).toCompletableFuture();
            assertThat(decided(engine, Demand.of(BUCKET, "settled-new", 1)).allowed())
                    .isTrue();
            move.migrateAllKeys();
            move.finish();
            cluster.awaitOk();
            // If the slot moves for longer than the engine tries, the caller settles again, as after every answer that
            // was lost.
            boolean isLost = results.handle((answer, failure) -> failure != null)
                    .orTimeout(60, TimeUnit.SECONDS)
                    .join();
            List<SettlementResult> settled = isLost
                    ? engine.settle(settlements).toCompletableFuture().get(60, TimeUnit.SECONDS)
                    : results.join();
            for (int i = 0; i < settled.size(); i++) {
                boolean again = settlements.get(i).key().equals("settled-split");
                assertThat(settled.get(i).change()).isEqualTo(4);
                List<SettlementResult.Kind> expected = again
                        ? List.of(SettlementResult.Kind.REPEATED)
                        : isLost
                                ? List.of(SettlementResult.Kind.SETTLED, SettlementResult.Kind.REPEATED)
                                : List.of(SettlementResult.Kind.SETTLED);
                assertThat(expected).contains(settled.get(i).kind());
            }
            for (Limit limit : limits) {
                for (String key : List.of("settled-gone", "settled-here", "settled-split")) {
                    assertThat(decided(engine, Demand.of(limit, key, 1))
                                    .verdicts()
                                    .get(0)
                                    .remaining())
                            .isEqualTo(limit.capacity() - 10);
                }
            }
        }
    }

    private static RedisServer another(RedisServer owner) {
        return cluster.primaries().stream()
                .filter(node -> node != owner)
                .findAny()
                .orElseThrow();
    }

    private static long remaining(RedisEngine engine, Limit limit, String key) {
        return decided(engine, Ask.charging(List.of(Demand.of(limit, key, 1))).looking())
                .verdicts()
                .get(0)
                .remaining();
    }

    private static EngineDecision decided(RedisEngine engine, Demand demand) {
        return decided(engine, Ask.charging(List.of(demand)));
    }

    private static EngineDecision decided(RedisEngine engine, Ask ask) {
        return (EngineDecision)
                outcome(engine.decide(ask)).orTimeout(60, TimeUnit.SECONDS).join();
    }

    private static CompletableFuture<Outcome> outcome(Answer answer) {
        return answer instanceof PendingOutcome pending
                ? pending.outcome().toCompletableFuture()
                : CompletableFuture.completedFuture((Outcome) answer);
    }
}
