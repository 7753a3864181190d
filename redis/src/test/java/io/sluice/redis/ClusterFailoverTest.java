package io.sluice.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.core.limit.Limit;
import io.sluice.core.limit.Rate;
import io.sluice.core.spi.Answer;
import io.sluice.core.spi.Ask;
import io.sluice.core.spi.Demand;
import io.sluice.core.spi.EngineDecision;
import io.sluice.core.spi.EngineFailure;
import io.sluice.core.spi.Outcome;
import io.sluice.core.spi.PendingOutcome;
import io.sluice.core.time.Clock;
import io.sluice.redis.internal.link.Coalescer;
import io.sluice.redis.internal.link.RedisOptions;
import io.sluice.redis.internal.wire.RedisKeys;
import io.sluice.redis.store.StoreListener;
import io.sluice.redis.store.StoreState;
import io.sluice.testkit.redis.RedisCluster;
import io.sluice.testkit.redis.RedisServer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Primaries that die or hang, and slots without an owner: only those are undecided, and for no longer than necessary. */
final class ClusterFailoverTest {

    private static final Limit PLENTY =
            Limit.named("plenty").tokenBucket(Rate.perDay(1)).withBurst(100_000_000);
    private static final RedisKeys NAMES = new RedisKeys("p");
    private static final String LEFT = keyBetween(0, 5_000);
    private static final String RIGHT = keyBetween(11_000, 16_383);

    private static RedisCluster cluster;

    private final ConcurrentLinkedQueue<StoreState> states = new ConcurrentLinkedQueue<>();
    private final AtomicInteger failed = new AtomicInteger();
    private volatile boolean throwing;
    private RedisEngine engine;

    @BeforeAll
    static void startRedis() {
        cluster = RedisCluster.start("--cluster-require-full-coverage", "no", "--requirepass", "s,e@c/r:et");
    }

    @AfterAll
    static void stopRedis() {
        cluster.close();
    }

    @BeforeEach
    void start() throws Exception {
        reviveAllNodes();
        connect();
    }

    /** A test that failed may have left a node dead or hung; the next one is not to fail for it. */
    private static void reviveAllNodes() {
        for (RedisServer node : cluster.nodes()) {
            if (node.isAlive()) {
                node.thaw();
            } else {
                node.restart();
            }
        }
        cluster.awaitOk();
    }

    private void connect() throws Exception {
        RedisOptions options = RedisOptions.defaults()
                .slow(Duration.ofMinutes(1))
                .listener(new StoreListener() {
                    @Override
                    public void called(String outcome, int decisions, long nanos) {
                        fail();
                    }

                    @Override
                    public void changed(StoreState state) {
                        states.add(state);
                        fail();
                    }
                });
        engine = RedisEngine.connect(cluster.uri(), "p", Clock.system(), options);
        engine.ready().toCompletableFuture().get(60, TimeUnit.SECONDS);
    }

    private void fail() {
        if (throwing) {
            failed.incrementAndGet();
            throw new NoClassDefFoundError("on purpose");
        }
    }

    @AfterEach
    void stop() {
        engine.close();
    }

    @Test
    void decidesElsewhereWhileAPrimaryIsDeadAndEverywhereOnceItIsReplaced() throws Exception {
        RedisServer[] dead = new RedisServer[1];
        List<Outcome> outcomes = whileDown(() -> dead[0] = cluster.killPrimaryOf(slotOf(LEFT)));
        assertThat(outcomes).contains(new EngineFailure("redis-disconnected", false));
        assertThat(states).anySatisfy(state -> {
            assertThat(state.available()).isFalse();
            assertThat(state.cause()).startsWith("127.0.0.1:" + dead[0].port() + ": ");
        });
        // It comes back as a replica and is not asked.
        dead[0].restart();
        cluster.awaitOk();
        Awaitility.await().atMost(Duration.ofMinutes(1)).until(engine::isReady);
        assertThat(ask(LEFT)).isInstanceOf(EngineDecision.class);
    }

    @Test
    void decidesElsewhereWhileAPrimaryHangs() throws Exception {
        RedisServer hung = cluster.ownerOf(slotOf(LEFT));
        List<Outcome> outcomes = whileDown(hung::freeze);
        assertThat(outcomes).anyMatch(outcome -> outcome instanceof EngineFailure);
        hung.thaw();
        cluster.awaitOk();
        assertThat(ask(LEFT)).isInstanceOf(EngineDecision.class);
    }

    @Test
    void isBoundedForAllSlotsOfANodeTogether() {
        // On one frozen node, only as many requests are accepted as may wait, and other nodes decide meanwhile.
        Set<Integer> slots = new HashSet<>();
        List<String> there = new ArrayList<>();
        for (int i = 0; there.size() < 500; i++) {
            int slot = slotOf("k" + i);
            if (slot < 5_000) {
                there.add("k" + i);
                slots.add(slot);
            }
        }
        assertThat(slots.size()).isGreaterThan(400);
        RedisServer frozen = cluster.ownerOf(slotOf(LEFT));
        assertThat(cluster.ownerOf(0)).isSameAs(frozen);
        frozen.freeze();
        try {
            List<CompletableFuture<Outcome>> answers = new ArrayList<>();
            for (int i = 0; i < Coalescer.MOST_WAITING + 100; i++) {
                answers.add(outcome(engine.decide(Ask.charging(List.of(demand(there.get(i % there.size())))))));
            }
            assertThat(answers.stream().filter(answer -> !answer.isDone()).count())
                    .isLessThanOrEqualTo(Coalescer.MOST_WAITING);
            // On a slow machine, the connection may have been given up meanwhile.
            assertThat(answers.stream().filter(CompletableFuture::isDone).map(CompletableFuture::join))
                    .hasSizeGreaterThanOrEqualTo(100)
                    .allMatch(outcome -> outcome instanceof EngineFailure);
            assertThat(ask(RIGHT)).isInstanceOf(EngineDecision.class);
        } finally {
            frozen.thaw();
        }
        cluster.awaitOk();
    }

    /** The owners are read again after the failover, or its slots would stay undecided, and later as often as ever. */
    @Test
    void aListenerThatThrowsStopsNeitherDecisionsNorTheReadingOfOwners() throws Exception {
        engine.close();
        throwing = true;
        connect();
        RedisServer[] dead = new RedisServer[1];
        whileDown(() -> dead[0] = cluster.killPrimaryOf(slotOf(LEFT)));
        dead[0].restart();
        cluster.awaitOk();
        Awaitility.await().atMost(Duration.ofMinutes(1)).until(engine::isReady);
        RedisServer from = cluster.ownerOf(slotOf(LEFT));
        cluster.moveSlot(slotOf(LEFT), cluster.ownerOf(slotOf(RIGHT)));
        assertThat(ask(LEFT)).isInstanceOf(EngineDecision.class);
        long before = readings();
        Awaitility.await().atMost(Duration.ofMinutes(1)).until(() -> readings() >= before + 2);
        cluster.moveSlot(slotOf(LEFT), from);
        assertThat(ask(LEFT)).isInstanceOf(EngineDecision.class);
        assertThat(failed.get()).isGreaterThan(2);
    }

    /** Returns how often the owners were read from any node. */
    private static long readings() {
        long calls = 0;
        Pattern shards = Pattern.compile("cmdstat_cluster\\|shards:calls=(\\d+)");
        for (RedisServer node : cluster.nodes()) {
            Matcher matcher =
                    shards.matcher(node.command("INFO", "commandstats").text());
            calls += matcher.find() ? Long.parseLong(matcher.group(1)) : 0;
        }
        return calls;
    }

    @Test
    void reportsASlotWithoutAnOwner() throws Exception {
        int slot = slotOf(LEFT);
        RedisServer owner = cluster.ownerOf(slot);
        cluster.nodes().forEach(node -> node.command("CLUSTER", "DELSLOTS", Integer.toString(slot)));
        EngineFailure down = new EngineFailure("redis-clusterdown", false);
        Awaitility.await().atMost(Duration.ofMinutes(1)).until(() -> ask(LEFT).equals(down));
        Awaitility.await()
                .atMost(Duration.ofMinutes(1))
                .until(() -> engine.state().cause().equals("no node owns slot " + slot));
        assertThat(engine.state().reason()).isEqualTo("redis-clusterdown");
        assertThat(engine.isReady()).isFalse();
        // The breaker of the node stays closed: its other slots are decided, and so are those of other nodes.
        for (int i = 0; i < 50; i++) {
            assertThat(ask(LEFT)).isEqualTo(down);
        }
        assertThat(ask(RIGHT)).isInstanceOf(EngineDecision.class);
        assertThat(ask(keyBetween(slot + 1, 5_400))).isInstanceOf(EngineDecision.class);
        // Both or none.
        assertThat(outcome(engine.decide(Ask.charging(List.of(demand(RIGHT), demand(LEFT)))))
                        .get(60, TimeUnit.SECONDS))
                .isEqualTo(down);
        owner.command("CLUSTER", "ADDSLOTS", Integer.toString(slot));
        Awaitility.await().atMost(Duration.ofMinutes(1)).until(() -> ask(LEFT) instanceof EngineDecision);
        Awaitility.await().atMost(Duration.ofMinutes(1)).until(engine::isReady);
        cluster.awaitOk();
    }

    /**
     * Returns the outcomes of requests for the left slot, from before it goes down until it is decided again. All other slots are
     * decided meanwhile.
     */
    private List<Outcome> whileDown(Runnable goes) throws Exception {
        RedisServer left = cluster.ownerOf(slotOf(LEFT));
        AtomicBoolean over = new AtomicBoolean();
        ConcurrentLinkedQueue<Outcome> others = new ConcurrentLinkedQueue<>();
        CompletableFuture<Void> asking = CompletableFuture.runAsync(() -> Awaitility.await()
                .atMost(Duration.ofMinutes(5))
                .pollInterval(Duration.ofMillis(1))
                .until(() -> {
                    others.add(ask(RIGHT));
                    return over.get();
                }));
        List<Outcome> outcomes = new ArrayList<>();
        assertThat(ask(LEFT)).isInstanceOf(EngineDecision.class);
        states.clear();
        goes.run();
        long gone = System.nanoTime();
        Awaitility.await()
                .atMost(Duration.ofMinutes(1))
                .pollInterval(Duration.ofMillis(5))
                .until(() -> {
                    outcomes.add(ask(LEFT));
                    return outcomes.get(outcomes.size() - 1) instanceof EngineFailure;
                });
        // The listener may hear of it a moment after the first refused decision.
        Awaitility.await().atMost(Duration.ofMinutes(1)).until(() -> states.stream()
                .anyMatch(state -> !state.available()));
        Awaitility.await()
                .atMost(Duration.ofMinutes(1))
                .pollInterval(Duration.ofMillis(5))
                .until(() -> {
                    outcomes.add(ask(LEFT));
                    return outcomes.get(outcomes.size() - 1) instanceof EngineDecision;
                });
        System.out.printf(
                "a primary was gone for %d ms; meanwhile %d decisions on other slots%n",
                TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - gone), others.size());
        over.set(true);
        asking.get(60, TimeUnit.SECONDS);
        assertThat(others).anyMatch(outcome -> outcome instanceof EngineDecision);
        // A node that the machine stopped for longer than the node timeout says for a moment that the Cluster is down.
        EngineFailure down = new EngineFailure("redis-clusterdown", false);
        long refused = clusterDowns(left);
        assertThat(others.stream().filter(outcome -> !(outcome instanceof EngineDecision)))
                .hasSizeLessThanOrEqualTo((int) refused)
                .allMatch(down::equals);
        return outcomes;
    }

    /** Returns how often nodes that are not hung refused a call because they considered the Cluster down. */
    private static long clusterDowns(RedisServer hung) {
        Pattern refusals = Pattern.compile("errorstat_CLUSTERDOWN:count=(\\d+)");
        return cluster.nodes().stream()
                .filter(node -> node != hung && node.isAlive())
                .map(node -> refusals.matcher(node.command("INFO", "errorstats").text()))
                .filter(Matcher::find)
                .mapToLong(found -> Long.parseLong(found.group(1)))
                .sum();
    }

    private Outcome ask(String key) {
        return outcome(engine.decide(Ask.charging(List.of(demand(key)))))
                .orTimeout(60, TimeUnit.SECONDS)
                .join();
    }

    private static Demand demand(String key) {
        return Demand.of(PLENTY, key, 1);
    }

    private static int slotOf(String key) {
        return RedisCluster.slotOf(NAMES.of(PLENTY, key));
    }

    private static String keyBetween(int first, int last) {
        int i = 0;
        while (slotOf("k" + i) < first || slotOf("k" + i) > last) {
            i++;
        }
        return "k" + i;
    }

    private static CompletableFuture<Outcome> outcome(Answer answer) {
        return answer instanceof PendingOutcome pending
                ? pending.outcome().toCompletableFuture()
                : CompletableFuture.completedFuture((Outcome) answer);
    }
}
