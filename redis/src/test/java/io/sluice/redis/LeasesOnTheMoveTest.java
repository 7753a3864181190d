package io.sluice.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.core.limit.Limit;
import io.sluice.core.limit.Rate;
import io.sluice.core.spi.Answer;
import io.sluice.core.spi.Ask;
import io.sluice.core.spi.Demand;
import io.sluice.core.spi.EngineDecision;
import io.sluice.core.spi.LeasePolicy;
import io.sluice.core.spi.Outcome;
import io.sluice.core.spi.PendingOutcome;
import io.sluice.core.time.Clock;
import io.sluice.redis.internal.lease.Leases;
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
import java.util.concurrent.atomic.AtomicLong;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Leases on counts whose slots move: every request is decided, and in the end the charges match what was admitted. */
final class LeasesOnTheMoveTest {

    private static final LeasePolicy POLICY = new LeasePolicy(0, 0.1, 500_000);
    private static final Limit WINDOW = Limit.named("window").fixedWindow(100_000_000, Duration.ofDays(300));
    private static final Limit SLIDING = Limit.named("sliding").slidingWindow(100_000_000, Duration.ofDays(300));
    private static final Limit BUCKET =
            Limit.named("bucket").tokenBucket(Rate.perDay(1)).withBurst(100_000_000);
    private static final List<Limit> LIMITS = List.of(WINDOW, SLIDING, BUCKET);
    private static final String TAG = "{leased}";
    private static final int SLOT = RedisCluster.slotOf(TAG);
    private static final int KEYS = 2;

    private static RedisCluster cluster;

    @BeforeAll
    static void startRedis() {
        cluster = RedisCluster.shared();
    }

    @Test
    void decidesEveryRequestAndChargesNothingTwiceWhileASlotMoves() throws Exception {
        int moves = SeededRandom.scaled(3, 30);
        String prefix = TAG + "load";
        Map<String, AtomicLong> admitted = new ConcurrentHashMap<>();
        ConcurrentLinkedQueue<Outcome> others = new ConcurrentLinkedQueue<>();
        AtomicLong here = new AtomicLong();
        AtomicBoolean over = new AtomicBoolean();
        ExecutorService pool = Executors.newFixedThreadPool(4);
        try (RedisEngine look = connect(prefix)) {
            List<Leases> nodes = List.of(node(prefix), node(prefix));
            List<Future<?>> running = new ArrayList<>();
            for (int i = 0; i < 4; i++) {
                Leases node = nodes.get(i % nodes.size());
                Random random = new Random(i);
                running.add(pool.submit(() -> {
                    while (!over.get()) {
                        Limit limit = LIMITS.get(random.nextInt(LIMITS.size()));
                        Ask ask = ask(limit, "k" + random.nextInt(KEYS), 1 + random.nextInt(2));
                        Answer answer = node.decide(ask);
                        here.addAndGet(answer instanceof EngineDecision ? 1 : 0);
                        Outcome outcome =
                                outcome(answer).orTimeout(60, TimeUnit.SECONDS).join();
                        if (!(outcome instanceof EngineDecision decided && decided.allowed())) {
                            others.add(outcome);
                        } else if (random.nextInt(10) == 0) {
                            join(node.giveBack(decided.charges(ask)).toCompletableFuture());
                        } else {
                            decided.charges(ask).forEach(charge -> admitted.computeIfAbsent(
                                            charge.limit().name() + charge.key(), name -> new AtomicLong())
                                    .addAndGet(charge.permits()));
                        }
                        // One call to Redis for each request, so that leases last.
                        assertThat(remaining(look, WINDOW, "unused")).isEqualTo(WINDOW.capacity());
                    }
                }));
            }
            try {
                Awaitility.await().atMost(Duration.ofMinutes(1)).until(() -> here.get() > 0);
                for (int i = 0; i < moves; i++) {
                    cluster.moveSlot(SLOT, next(cluster.ownerOf(SLOT)));
                }
            } finally {
                over.set(true);
                for (Future<?> each : running) {
                    each.get(60, TimeUnit.SECONDS);
                }
                pool.shutdownNow();
            }
            assertThat(others).isEmpty();
            assertThat(here).hasPositiveValue();
            // A lease is over in this process before the store knows how much of it was spent.
            Awaitility.await().atMost(Duration.ofMinutes(5)).untilAsserted(() -> {
                assertThat(nodes.stream().mapToLong(Leases::outstanding).sum()).isZero();
                assertCharged(look, admitted);
            });
            nodes.forEach(Leases::close);
            assertCharged(look, admitted);
            System.out.printf(
                    "%d moves of a slot under leases: %s admitted, %d answers from leases%n",
                    moves, admitted, here.get());
        }
    }

    private static void assertCharged(RedisEngine look, Map<String, AtomicLong> admitted) {
        for (Limit limit : LIMITS) {
            for (int key = 0; key < KEYS; key++) {
                long expected = admitted.getOrDefault(limit.name() + "k" + key, new AtomicLong())
                        .get();
                long charged = limit.capacity() - remaining(look, limit, "k" + key);
                // A refund to a bucket leaves used what had drained by then: part of a permit each time.
                assertThat(charged).as("%s k%d", limit, key).isBetween(expected, expected + (limit == BUCKET ? 1 : 0));
            }
        }
    }

    @Test
    void decidesWhileCountAndRecordsAreInDifferentPlaces() throws Exception {
        String prefix = TAG + "apart";
        RedisKeys names = new RedisKeys(prefix);
        try (RedisEngine look = connect(prefix);
                Leases node = node(prefix)) {
            String count = names.of(WINDOW, "k");
            long admitted = untilLeased(node, 0);
            SlotMove move = cluster.beginMove(SLOT, another(cluster.ownerOf(SLOT)));
            move.migrateKeys(count);
            // Some of the records may never have existed, or may be gone. Every request is decided nevertheless.
            for (int i = 0; i < 2_000; i++) {
                assertThat(decided(node, ask(WINDOW, "k", 1)).allowed()).isTrue();
                admitted++;
            }
            move.migrateAllKeys();
            move.finish();
            cluster.awaitOk();
            admitted = untilLeased(node, admitted);
            long expected = admitted;
            Awaitility.await().atMost(60, TimeUnit.SECONDS).untilAsserted(() -> assertThat(
                            WINDOW.capacity() - remaining(look, WINDOW, "k"))
                    .isEqualTo(expected));
        }
    }

    private static long untilLeased(Leases node, long before) {
        long admitted = before;
        long deadline = System.nanoTime() + Duration.ofMinutes(1).toNanos();
        do {
            assertThat(decided(node, ask(WINDOW, "k", 1)).allowed()).isTrue();
            admitted++;
        } while (node.outstanding() == 0 && System.nanoTime() - deadline < 0);
        assertThat(node.outstanding()).isPositive();
        return admitted;
    }

    private static Ask ask(Limit limit, String key, long permits) {
        return Ask.charging(List.of(Demand.of(limit, key, permits).leasedBy(POLICY)));
    }

    private static Leases node(String prefix) throws Exception {
        RedisEngine engine = connect(prefix);
        return engine.leasesInFrontOf(engine);
    }

    private static RedisEngine connect(String prefix) throws Exception {
        RedisOptions patient = RedisOptions.defaults().slow(Duration.ofMinutes(1));
        RedisEngine engine = RedisEngine.onTime(cluster.uri(), prefix, Clock.system(), patient, () -> "");
        engine.ready().toCompletableFuture().get(60, TimeUnit.SECONDS);
        return engine;
    }

    /**
     * Moves in a circle. A slot that goes straight back may be claimed by the node it came from, through a message that was under
     * way, and then Redis drops its keys.
     */
    private static RedisServer next(RedisServer owner) {
        List<RedisServer> all = cluster.primaries();
        return all.get((all.indexOf(owner) + 1) % all.size());
    }

    private static RedisServer another(RedisServer owner) {
        return cluster.primaries().stream()
                .filter(node -> node != owner)
                .findAny()
                .orElseThrow();
    }

    private static long remaining(RedisEngine engine, Limit limit, String key) {
        Answer answer =
                engine.decide(Ask.charging(List.of(Demand.of(limit, key, 1))).looking());
        return ((EngineDecision) join(outcome(answer))).verdicts().get(0).remaining();
    }

    private static EngineDecision decided(Leases node, Ask ask) {
        return (EngineDecision) join(outcome(node.decide(ask)));
    }

    private static <T> T join(CompletableFuture<T> future) {
        return future.orTimeout(60, TimeUnit.SECONDS).join();
    }

    private static CompletableFuture<Outcome> outcome(Answer answer) {
        return answer instanceof PendingOutcome pending
                ? pending.outcome().toCompletableFuture()
                : CompletableFuture.completedFuture((Outcome) answer);
    }
}
