package io.sluice.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.lettuce.core.RedisClient;
import io.lettuce.core.api.sync.RedisCommands;
import io.lettuce.core.pubsub.RedisPubSubAdapter;
import io.lettuce.core.pubsub.StatefulRedisPubSubConnection;
import io.sluice.core.limit.LeakyBucket;
import io.sluice.core.limit.Limit;
import io.sluice.core.limit.Rate;
import io.sluice.core.limit.TokenBucket;
import io.sluice.core.spi.Answer;
import io.sluice.core.spi.Ask;
import io.sluice.core.spi.Charge;
import io.sluice.core.spi.Demand;
import io.sluice.core.spi.Engine;
import io.sluice.core.spi.EngineDecision;
import io.sluice.core.spi.PendingOutcome;
import io.sluice.core.spi.Settlement;
import io.sluice.core.time.Clock;
import io.sluice.core.time.ManualClock;
import io.sluice.redis.internal.link.RedisOptions;
import io.sluice.redis.internal.refusal.DenyCache;
import io.sluice.redis.internal.refusal.RefusalTable;
import io.sluice.redis.internal.wire.RedisKeys;
import io.sluice.testkit.QuietClock;
import io.sluice.testkit.SeededRandom;
import io.sluice.testkit.redis.RedisServer;
import java.time.Duration;
import java.time.ZoneOffset;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** The refusal cache in front of a real Redis, in one process and in two. */
final class DenyCacheOnRedisTest {

    private static final AtomicInteger PREFIXES = new AtomicInteger();
    private static final Limit DAILY = Limit.named("daily").slidingLog(5, Duration.ofDays(1));

    private static final RedisOptions PATIENT = RedisOptions.defaults().slow(Duration.ofMinutes(1));

    private static RedisServer server;
    private static RedisClient client;
    private static RedisCommands<String, String> redis;

    @BeforeAll
    static void startRedis() {
        server = RedisServer.shared();
        client = RedisClient.create(server.uri());
        redis = client.connect().sync();
    }

    @AfterAll
    static void stopRedis() {
        client.shutdown(0, 1, TimeUnit.SECONDS);
    }

    private static List<Limit> limits() {
        return List.of(
                Limit.named("tb").tokenBucket(Rate.perDay(5)).withBurst(5),
                Limit.named("lb").leakyBucket(Rate.perDay(5)).withCapacity(4),
                Limit.named("fw").fixedWindow(5, Duration.ofDays(1_000)),
                Limit.named("month").fixedWindow(5, io.sluice.core.limit.Calendar.YEAR, ZoneOffset.UTC),
                Limit.named("sw").slidingWindow(5, Duration.ofDays(1)),
                Limit.named("est").slidingWindow(5, Duration.ofDays(1)).asEstimate(),
                Limit.named("sl").slidingLog(5, Duration.ofDays(1)));
    }

    @Test
    void passesWithinAMomentWhenAnotherProcessGivesBack() throws Exception {
        String prefix = "te[s]t*" + PREFIXES.incrementAndGet();
        try (DenyCache one = connect(server.uri(), prefix);
                DenyCache two = connectStill(server.uri(), prefix)) {
            for (Limit limit : limits()) {
                Ask five = ask(limit, "käse {1}", 5);
                EngineDecision charged = decided(one, five);
                assertThat(charged.allowed()).as("%s", limit).isTrue();
                untilRefusedFromMemory(two, ask(limit, "käse {1}", 1));
                List<Charge> charges = charged.charges(five);
                one.giveBack(charges).toCompletableFuture().get(60, TimeUnit.SECONDS);
                untilAllowed(two, limit, "käse {1}");
            }
        }
    }

    @Test
    void passesWhenASettlementGivesBack() throws Exception {
        String prefix = prefix();
        try (DenyCache one = connect(server.uri(), prefix);
                DenyCache two = connectStill(server.uri(), prefix)) {
            for (Limit limit : limits()) {
                if (limit instanceof LeakyBucket) {
                    continue;
                }
                Ask five = ask(limit, "k", 5);
                Charge charge = decided(one, five).charges(five).get(0);
                untilRefusedFromMemory(one, ask(limit, "k", 1));
                untilRefusedFromMemory(two, ask(limit, "k", 1));
                one.settle(List.of(Settlement.of(charge, 1, "id", 300_000_000)))
                        .toCompletableFuture()
                        .get(60, TimeUnit.SECONDS);
                assertThat(decided(one, ask(limit, "k", 1)).allowed())
                        .as("%s, in this process at once", limit)
                        .isTrue();
                untilAllowed(two, limit, "k");
            }
        }
    }

    private static void untilAllowed(DenyCache engine, Limit limit, String key) {
        Awaitility.await("%s".formatted(limit))
                .atMost(Duration.ofMinutes(1))
                .pollInterval(Duration.ofMillis(1))
                .until(() -> decided(engine, ask(limit, key, 1)).allowed());
    }

    /** A request that keeps permits for others gets no later time slot. That says nothing about one that keeps none. */
    @Test
    void aRefusalOfARequestThatKeepsPermitsDoesNotRefuseOneThatMayWait() throws Exception {
        Limit limit = Limit.named("slots").tokenBucket(Rate.perHour(5)).withBurst(5);
        long day = Duration.ofDays(1).toNanos() / 1_000;
        try (DenyCache engine = connectStill(server.uri(), prefix())) {
            assertThat(decided(engine, ask(limit, "k", 5)).allowed()).isTrue();
            Demand keeping = Demand.of(limit, "k", 1).keeping(4).waitingUpTo(day);
            untilRefusedFromMemory(engine, Ask.charging(List.of(keeping)));

            Demand waiting = Demand.of(limit, "k", 5).waitingUpTo(day);
            EngineDecision decided = decided(engine, Ask.charging(List.of(waiting)));
            assertThat(decided.allowed()).isTrue();
            assertThat(decided.verdicts().get(0).waitMicros()).isPositive();
        }
    }

    @Test
    void passesWithinAMomentWhenAnotherProcessKnowsAFasterRate() throws Exception {
        String prefix = prefix();
        Limit slow = Limit.named("tb").tokenBucket(Rate.perDay(5)).withBurst(5);
        Limit fast = Limit.named("tb").tokenBucket(Rate.perSecond(1_000)).withBurst(5);
        try (DenyCache one = connect(server.uri(), prefix);
                DenyCache two = connect(server.uri(), prefix)) {
            decided(one, ask(slow, "k", 5));
            untilRefusedFromMemory(two, ask(slow, "k", 4));
            // The faster rate counts from the first ask by it on.
            assertThat(decided(one, ask(fast, "k", 5)).allowed()).isFalse();
            Awaitility.await()
                    .atMost(Duration.ofMinutes(1))
                    .until(() -> decided(one, ask(fast, "k", 5).looking()).allowed());
            assertThat(decided(one, ask(fast, "k", 1)).allowed()).isTrue();
            Awaitility.await().atMost(Duration.ofMinutes(1)).until(() -> decided(two, ask(slow, "k", 4))
                    .allowed());
        }
    }

    /** Redis announces neither refunds without effect nor charges. It sends in order, so the last announcement ends the list. */
    @Test
    void announcesOnlyRefundsThatChangeSomething() throws Exception {
        String prefix = prefix();
        BlockingQueue<String> announced = new LinkedBlockingQueue<>();
        // A plain subscription: a channel of refunds subscribes anew after a pause, and would miss what was announced
        // meanwhile.
        try (StatefulRedisPubSubConnection<String, String> subscription = client.connectPubSub();
                RedisEngine engine = RedisEngine.connect(server.uri(), prefix, Clock.system(), PATIENT)) {
            subscription.addListener(new RedisPubSubAdapter<>() {
                @Override
                public void message(String pattern, String channel, String message) {
                    announced.add(channel);
                }
            });
            subscription.sync().psubscribe(prefix + ":*");
            engine.ready().toCompletableFuture().get(60, TimeUnit.SECONDS);
            List<String> expected = new ArrayList<>();
            RedisKeys names = new RedisKeys(prefix);
            for (Limit limit : limits()) {
                Ask ask = ask(limit, "k", 3);
                EngineDecision charged = decided(engine, ask);
                decided(engine, ask);
                Charge charge = charged.charges(ask).get(0);
                Charge never = new Charge(limit, "other", 3, charge.chargedAtMicros(), "");
                give(engine, never);
                give(engine, charge);
                expected.add(names.of(limit, "k"));
                if (!(limit instanceof TokenBucket || limit instanceof LeakyBucket)) {
                    // Not for buckets: they keep what had drained by then, so a second refund would change something.
                    give(engine, charge);
                }
            }
            Ask held = ask(Limit.named("cc").concurrency(1, Duration.ofMinutes(1)), "k", 1);
            engine.giveBack(decided(engine, held).charges(held))
                    .toCompletableFuture()
                    .get(60, TimeUnit.SECONDS);
            expected.add(prefix + ":last");
            redis.publish(prefix + ":last", "");
            for (String name : expected) {
                assertThat(announced.poll(1, TimeUnit.MINUTES)).isEqualTo(name);
            }
        }
    }

    @Test
    void cachesBrieflyWhileRedisIsDownAndForgetsWhenItIsBack() throws Exception {
        try (RedisServer own = RedisServer.start();
                DenyCache engine = connect(own.uri(), "p")) {
            decided(engine, ask(DAILY, "k", 5));
            assertThat(decided(engine, ask(DAILY, "k", 1)).allowed()).isFalse();
            own.freeze();
            Awaitility.await().atMost(Duration.ofMinutes(1)).until(() -> !engine.isTold());
            own.thaw();
            Awaitility.await().atMost(Duration.ofMinutes(1)).until(engine::isTold);
            own.kill();
            Awaitility.await().atMost(Duration.ofMinutes(1)).until(() -> !engine.isTold());
            own.restart();
            Awaitility.await().atMost(Duration.ofMinutes(1)).until(engine::isTold);
            // The new server is empty, and the cached refusals of the old one are gone.
            Awaitility.await()
                    .atMost(Duration.ofMinutes(1))
                    .until(() -> engine.decide(ask(DAILY, "k", 5)) instanceof PendingOutcome);
            assertThat(engine.remembered()).isZero();
        }
    }

    @Test
    void decidesAndCachesBrieflyWithoutPermissionToPublishOrSubscribe() throws Exception {
        String rules = "on >secret resetchannels ~rate_limit:* -@all +hello +auth +ping +fcall +function|load +time "
                + "+get +mget +set +del +pexpire +lrange +rpush +ltrim +lset +lrem +llen +lindex";
        RedisServer own = RedisServer.start(("--user mute " + rules).split(" ", -1));
        String uri = own.uri().replace("redis://", "redis://mute:secret@");
        RedisEngine behind = RedisEngine.connect(uri, "rate_limit", Clock.system(), PATIENT);
        try (own;
                DenyCache engine = DenyCache.over(behind, uri, "rate_limit", Clock.system())) {
            behind.ready().toCompletableFuture().get(60, TimeUnit.SECONDS);
            Ask five = ask(DAILY, "k", 5);
            for (int i = 0; i < 3; i++) {
                EngineDecision charged = decided(engine, five);
                assertThat(charged.allowed()).isTrue();
                assertThat(decided(engine, ask(DAILY, "k", 1)).allowed()).isFalse();
                engine.giveBack(charged.charges(five)).toCompletableFuture().get(60, TimeUnit.SECONDS);
            }
            assertThat(engine.isTold()).isFalse();
        }
    }

    @Test
    void clientsThatRetryFourTimesCostRedisNoMoreThanAFifth() throws Exception {
        long once = callsFor(0, true);
        long retrying = callsFor(4, true);
        long withoutMemory = callsFor(4, false);
        System.out.println("calls without retries: " + once + ", with four: " + retrying
                + ", with four and without memory: " + withoutMemory);
        assertThat(retrying).isLessThanOrEqualTo(once * 12 / 10);
        assertThat(withoutMemory).isGreaterThan(2 * once);
    }

    /** Many requests of 50 callers, most of them over their limit, with a step of time between any two. */
    private static long callsFor(int retries, boolean remembers) throws Exception {
        Random random = new Random(7);
        Limit perCaller = Limit.named("caller").tokenBucket(Rate.perSecond(2)).withBurst(5);
        Limit all = Limit.named("all").slidingWindow(100_000, Duration.ofSeconds(10));
        ManualClock clock = QuietClock.at(1_790_000_000_000_000L);
        RedisEngine behind =
                RedisEngine.onTime(server.uri(), prefix(), clock, PATIENT, () -> Long.toString(clock.epochMicros()));
        try (DenyCache engine = DenyCache.over(behind, "", clock, new RefusalTable(), () -> true)) {
            behind.ready().toCompletableFuture().get(60, TimeUnit.SECONDS);
            long before = calls();
            for (int i = SeededRandom.scaled(600, 2_000); i > 0; i--) {
                clock.advance(Duration.ofMillis(random.nextInt(10)));
                Ask ask = Ask.charging(
                        List.of(Demand.of(all, "", 1), Demand.of(perCaller, "caller" + random.nextInt(50), 1)));
                Engine asked = remembers ? engine : behind;
                boolean allowed = decided(asked, ask).allowed();
                for (int retry = 0; retry < retries && !allowed; retry++) {
                    allowed = decided(asked, ask).allowed();
                }
            }
            return calls() - before;
        }
    }

    @Test
    void neverRefusesFromMemoryWhatRedisWouldAdmit() throws Exception {
        SeededRandom random = SeededRandom.of("neverRefusesFromMemoryWhatRedisWouldAdmit");
        ManualClock clock = QuietClock.at(1_790_000_000_000_000L);
        String prefix = prefix();
        RedisEngine behind =
                RedisEngine.onTime(server.uri(), prefix, clock, PATIENT, () -> Long.toString(clock.epochMicros()));
        try (DenyCache engine = DenyCache.over(behind, prefix, clock, new RefusalTable(), () -> true)) {
            behind.ready().toCompletableFuture().get(60, TimeUnit.SECONDS);
            List<Charge> charges = new ArrayList<>();
            int refusedFromMemory = 0;
            int asks = SeededRandom.scaled(1_500, 6_000);
            for (int i = 0; i < asks; i++) {
                clock.advance(Duration.of((long) Math.pow(10, random.nextDouble() * 6) - 1, ChronoUnit.MICROS));
                if (!charges.isEmpty() && random.nextInt(20) == 0) {
                    give(engine, charges.remove(random.nextInt(charges.size())));
                }
                if (!charges.isEmpty() && random.nextInt(10) == 0) {
                    // One of the last, which still counts.
                    int last = charges.size() - 1 - random.nextInt(Math.min(5, charges.size()));
                    settle(engine, charges.remove(last), random.nextInt(3), "r" + i);
                }
                Ask ask = randomAsk(random);
                boolean would = decided(behind, ask.looking()).allowed();
                long before = engine.remembered();
                EngineDecision decided = decided(engine, ask);
                boolean fromMemory = engine.remembered() > before;
                refusedFromMemory += fromMemory ? 1 : 0;
                assertThat(decided.allowed())
                        .as("%s, %d, from memory: %s, %s", random, i, fromMemory, ask)
                        .isEqualTo(would);
                charges.addAll(decided.charges(ask));
            }
            assertThat(refusedFromMemory).isGreaterThan(asks / 12);
        }
    }

    private static Ask randomAsk(Random random) {
        List<Demand> demands = new ArrayList<>();
        for (Limit limit : List.of(
                Limit.named("tb").tokenBucket(Rate.perSecond(2)).withBurst(5),
                Limit.named("lb").leakyBucket(Rate.perSecond(2)).withCapacity(5),
                Limit.named("fw").fixedWindow(5, Duration.ofSeconds(3)),
                Limit.named("sw").slidingWindow(5, Duration.ofSeconds(3)),
                Limit.named("est").slidingWindow(5, Duration.ofSeconds(3)).asEstimate(),
                Limit.named("sl").slidingLog(5, Duration.ofSeconds(3)),
                Limit.named("cc").concurrency(5, Duration.ofSeconds(3)))) {
            if (random.nextInt(4) == 0) {
                int permits = 1 + random.nextInt(6);
                Demand demand = Demand.of(limit, "k" + random.nextInt(2), permits);
                if (random.nextBoolean()) {
                    demand = demand.orAtLeast(1L + random.nextInt(permits));
                }
                if (random.nextBoolean()) {
                    demand = demand.waitingUpTo(random.nextInt(2_000_000));
                }
                if (random.nextInt(3) == 0) {
                    demand = demand.keeping(1 + random.nextInt(4));
                    demand = random.nextInt(4) == 0 ? demand.permits(0) : demand;
                }
                demands.add(demand);
            }
        }
        return demands.isEmpty() ? randomAsk(random) : Ask.charging(demands);
    }

    private static DenyCache connect(String uri, String prefix) throws Exception {
        return connect(uri, prefix, Clock.system());
    }

    /** Connects a process for which no time passes, so that it believes its refusals until Redis announces permits. */
    private static DenyCache connectStill(String uri, String prefix) throws Exception {
        return connect(uri, prefix, QuietClock.at(1_790_000_000_000_000L));
    }

    private static DenyCache connect(String uri, String prefix, Clock clock) throws Exception {
        RedisEngine behind = RedisEngine.connect(uri, prefix, Clock.system(), PATIENT);
        DenyCache engine = DenyCache.over(behind, uri, prefix, clock);
        behind.ready().toCompletableFuture().get(60, TimeUnit.SECONDS);
        Awaitility.await().atMost(Duration.ofMinutes(1)).until(() -> {
            if (clock instanceof ManualClock still) {
                // A channel that could not be opened at once tries again after a pause.
                still.advance(Duration.ofMillis(100));
            }
            return engine.isTold();
        });
        return engine;
    }

    /** Asks until it is refused from the cache: the second time, unless the channel was down for a moment in between. */
    private static void untilRefusedFromMemory(DenyCache engine, Ask ask) {
        long before = engine.remembered();
        assertThat(decided(engine, ask).allowed()).isFalse();
        assertThat(engine.remembered()).isEqualTo(before);
        Awaitility.await().atMost(Duration.ofMinutes(1)).until(() -> {
            assertThat(decided(engine, ask).allowed()).isFalse();
            return engine.remembered() == before + 1;
        });
    }

    private static void give(Engine engine, Charge charge) throws Exception {
        engine.giveBack(List.of(charge)).toCompletableFuture().get(60, TimeUnit.SECONDS);
    }

    private static void settle(Engine engine, Charge charge, long actual, String id) throws Exception {
        if (!charge.isHeld() && !(charge.limit() instanceof LeakyBucket)) {
            engine.settle(List.of(Settlement.of(charge, actual, id, 3_600_000_000L)))
                    .toCompletableFuture()
                    .get(60, TimeUnit.SECONDS);
        }
    }

    private static Ask ask(Limit limit, String key, long permits) {
        return Ask.charging(List.of(Demand.of(limit, key, permits)));
    }

    private static EngineDecision decided(Engine engine, Ask ask) {
        Answer answer = engine.decide(ask);
        return (EngineDecision)
                (answer instanceof PendingOutcome pending
                        ? pending.outcome()
                                .toCompletableFuture()
                                .orTimeout(60, TimeUnit.SECONDS)
                                .join()
                        : answer);
    }

    private static String prefix() {
        return "test" + PREFIXES.incrementAndGet();
    }

    private static long calls() {
        Matcher calls = Pattern.compile("cmdstat_fcall:calls=(\\d+)").matcher(redis.info("commandstats"));
        return calls.find() ? Long.parseLong(calls.group(1)) : 0;
    }
}
