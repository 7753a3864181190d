package io.sluice.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.lettuce.core.FlushMode;
import io.lettuce.core.RedisClient;
import io.lettuce.core.api.sync.RedisCommands;
import io.sluice.core.history.HistoryEvent;
import io.sluice.core.history.StepEvent;
import io.sluice.core.limit.Concurrency;
import io.sluice.core.limit.Limit;
import io.sluice.core.limit.Rate;
import io.sluice.core.limit.SlidingWindow;
import io.sluice.core.local.LocalEngine;
import io.sluice.core.spi.Answer;
import io.sluice.core.spi.Ask;
import io.sluice.core.spi.Charge;
import io.sluice.core.spi.Demand;
import io.sluice.core.spi.EngineDecision;
import io.sluice.core.spi.EngineFailure;
import io.sluice.core.spi.Outcome;
import io.sluice.core.spi.PendingOutcome;
import io.sluice.core.spi.Verdict;
import io.sluice.core.time.Clock;
import io.sluice.core.time.ManualClock;
import io.sluice.redis.internal.link.Coalescer;
import io.sluice.redis.internal.link.RedisLink;
import io.sluice.redis.internal.link.RedisOptions;
import io.sluice.redis.internal.wire.RedisKeys;
import io.sluice.testkit.QuietClock;
import io.sluice.testkit.SeededRandom;
import io.sluice.testkit.redis.RedisServer;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.LongStream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

final class CoalescerTest {

    private static final long NOW = 1_790_000_000_000_000L;
    private static final Limit TEN =
            Limit.named("ten").tokenBucket(Rate.perDay(10)).withBurst(10);
    private static final Limit PLENTY =
            Limit.named("plenty").tokenBucket(Rate.perDay(1)).withBurst(1_000_000);

    private final RedisServer server = RedisServer.start();
    private final RedisClient client = RedisClient.create(server.uri());
    private final RedisCommands<String, String> redis = client.connect().sync();

    @AfterEach
    void stop() {
        client.shutdown(0, 1, TimeUnit.SECONDS);
        server.close();
    }

    @Test
    void decidesWaitingRequestsInOneCallInOrderOfArrival() throws Exception {
        try (RedisEngine engine = connect(RedisOptions.defaults())) {
            outcome(ask(engine, TEN, 6));
            long before = calls();
            List<CompletableFuture<Outcome>> ten = new ArrayList<>();
            whileRedisIsBusy(engine, () -> {
                for (int i = 0; i < 10; i++) {
                    ten.add(ask(engine, TEN, 1));
                }
            });
            for (int i = 0; i < 10; i++) {
                EngineDecision decided = (EngineDecision) outcome(ten.get(i));
                assertThat(decided.allowed()).as("caller %d", i).isEqualTo(i < 4);
                assertThat(decided.verdicts().get(0).remaining()).isEqualTo(Math.max(0, 3 - i));
            }
            assertThat(calls() - before).isEqualTo(Coalescer.MOST_UNDER_WAY + 1);
        }
    }

    @Test
    void sendsEachAloneWithoutCoalescing() throws Exception {
        try (RedisEngine engine = connect(RedisOptions.defaults().coalescing(false))) {
            long before = calls();
            List<CompletableFuture<Outcome>> asks = new ArrayList<>();
            whileRedisIsBusy(engine, () -> {
                for (int i = 0; i < 10; i++) {
                    asks.add(ask(engine, TEN, 1));
                }
            });
            for (CompletableFuture<Outcome> each : asks) {
                assertThat(((EngineDecision) outcome(each)).allowed()).isTrue();
            }
            assertThat(calls() - before).isEqualTo(Coalescer.MOST_UNDER_WAY + 10);
        }
    }

    @Test
    void isAllOrNothingForEachAskOfABatch() throws Exception {
        Limit three = Limit.named("three").slidingLog(3, Duration.ofMinutes(1));
        try (RedisEngine engine = connect(RedisOptions.defaults())) {
            List<CompletableFuture<Outcome>> both = new ArrayList<>();
            whileRedisIsBusy(engine, () -> {
                for (int i = 0; i < 50; i++) {
                    both.add(ask(engine, Ask.charging(List.of(Demand.of(TEN, "k", 1), Demand.of(three, "k", 1)))));
                }
            });
            for (int i = 0; i < 50; i++) {
                EngineDecision decided = (EngineDecision) outcome(both.get(i));
                assertThat(decided.allowed()).isEqualTo(i < 3);
                assertThat(decided.verdicts())
                        .extracting(Verdict::remaining)
                        .containsExactly(Math.max(7, 9L - i), Math.max(0, 2L - i));
            }
        }
    }

    @Test
    void keepsLooksGiveBacksAndRenewalsInOrder() throws Exception {
        Concurrency slots = Limit.named("slots").concurrency(1, Duration.ofSeconds(10));
        try (RedisEngine engine = onTime(() -> Long.toString(NOW))) {
            List<CompletableFuture<Outcome>> asks = new ArrayList<>();
            List<CompletableFuture<Boolean>> renewals = new ArrayList<>();
            Charge four = new Charge(TEN, "k", 4, NOW, "");
            Charge slot = new Charge(slots, "k", 1, NOW, "me");
            Demand mine = Demand.of(slots, "k", 1).heldBy("me");
            whileRedisIsBusy(engine, () -> {
                asks.add(ask(engine, Ask.charging(List.of(Demand.of(TEN, "k", 4), mine))));
                asks.add(ask(
                        engine, Ask.charging(List.of(Demand.of(TEN, "k", 1))).looking()));
                renewals.add(engine.renew(slot).toCompletableFuture());
                engine.giveBack(List.of(four, slot));
                renewals.add(engine.renew(slot).toCompletableFuture());
                asks.add(ask(
                        engine, Ask.charging(List.of(Demand.of(TEN, "k", 1))).looking()));
            });
            assertThat(remaining(asks)).containsExactly(6L, 6L, 10L);
            assertThat(renewals.get(0).get(60, TimeUnit.SECONDS)).isTrue();
            assertThat(renewals.get(1).get(60, TimeUnit.SECONDS)).isFalse();
        }
    }

    @Test
    void agreesWithTheInProcessEngineOnAnyBatch() throws Exception {
        AtomicLong now = new AtomicLong(NOW);
        AtomicLong latest = new AtomicLong(NOW);
        try (LocalEngine local = LocalEngine.onTime(now::get)) {
            agreesInBatches(local, now::get, random -> {
                latest.set(Math.max(latest.get(), now.get()));
                now.set(random.nextInt(8) == 0 ? latest.get() - random.nextInt(1_000_000) : now.get() + span(random));
            });
        }
    }

    /**
     * A token bucket packed into one word does not know when it was written, so at a change of rate it must age at the old rate.
     */
    @Test
    void agreesWithTheRealInProcessEngineOnAnyBatch() throws Exception {
        ManualClock clock = QuietClock.at(NOW);
        try (LocalEngine local = new LocalEngine(clock)) {
            agreesInBatches(
                    local, clock::epochMicros, random -> clock.advance(Duration.of(span(random), ChronoUnit.MICROS)));
        }
    }

    private static long span(Random random) {
        return (long) Math.pow(10, random.nextDouble() * 8) - 1;
    }

    private void agreesInBatches(LocalEngine local, LongSupplier now, Consumer<Random> pass) throws Exception {
        SeededRandom random = SeededRandom.of("agreesInBatches");
        try (RedisEngine engine = onTime(() -> Long.toString(now.getAsLong()))) {
            List<Charge> charged = new ArrayList<>();
            for (int round = 0; round < 80; round++) {
                pass.accept(random);
                List<Object> expected = new ArrayList<>();
                List<Object> asked = new ArrayList<>();
                List<CompletableFuture<?>> answers = new ArrayList<>();
                whileRedisIsBusy(engine, () -> {
                    for (int i = 0; i < 60; i++) {
                        if (!charged.isEmpty() && random.nextInt(6) == 0) {
                            Charge charge = charged.remove(random.nextInt(charged.size()));
                            asked.add(charge);
                            if (charge.isHeld() && random.nextBoolean()) {
                                expected.add(local.renew(charge)
                                        .toCompletableFuture()
                                        .join());
                                answers.add(engine.renew(charge).toCompletableFuture());
                            } else {
                                local.giveBack(List.of(charge))
                                        .toCompletableFuture()
                                        .join();
                                expected.add("done");
                                answers.add(engine.giveBack(List.of(charge))
                                        .thenApply(done -> "done")
                                        .toCompletableFuture());
                            }
                        } else {
                            Ask ask = randomAsk(random);
                            EngineDecision decided = (EngineDecision) local.decide(ask);
                            asked.add(ask);
                            expected.add(decided);
                            answers.add(ask(engine, ask));
                            if (ask.charges()) {
                                charged.addAll(decided.charges(ask));
                            }
                        }
                    }
                });
                for (int i = 0; i < answers.size(); i++) {
                    assertThat((Object) answers.get(i).get(60, TimeUnit.SECONDS))
                            .as("%s, round %d, %d: %s", random, round, i, asked.get(i))
                            .isEqualTo(expected.get(i));
                }
            }
        }
    }

    private static Ask randomAsk(Random random) {
        List<Demand> demands = new ArrayList<>();
        int first = random.nextInt(6);
        int last = random.nextBoolean() ? first : first + random.nextInt(4);
        for (int i = first; i <= last; i++) {
            Limit limit = randomLimit(random, i % 6);
            long permits = random.nextBoolean() ? 1 : 1 + random.nextLong(limit.capacity() + 1);
            Demand demand = Demand.of(limit, "k" + random.nextInt(2), permits)
                    .orAtLeast(random.nextBoolean() ? permits : 1 + random.nextLong(permits));
            demands.add(random.nextInt(3) == 0 ? demand.waitingUpTo(random.nextInt(2_000_000)) : demand);
        }
        Ask ask = Ask.charging(demands);
        return random.nextInt(10) == 0 ? ask.looking() : ask;
    }

    /** Only a few numbers, so that some requests of a batch agree on the rate and some do not. */
    private static Limit randomLimit(Random random, int kind) {
        Limit.Named named = Limit.named("limit" + kind);
        Duration window = Duration.ofMillis(kind * 333L + 1);
        long limit = random.nextLong(50) + 1;
        long permits = random.nextInt(12) == 0 ? 0 : 1 + random.nextInt(3);
        Rate rate = new Rate(permits, Duration.of(7 + random.nextInt(3) * 100_003L, ChronoUnit.MICROS));
        SlidingWindow sliding = named.slidingWindow(limit, window);
        return switch (kind) {
            case 0 -> named.tokenBucket(rate).withBurst(limit);
            case 1 -> named.leakyBucket(rate).withCapacity(limit);
            case 2 -> named.fixedWindow(limit, window);
            case 3 -> random.nextBoolean() ? sliding : sliding.asEstimate();
            case 4 -> named.slidingLog(limit, window);
            default -> named.concurrency(limit, Duration.ofMillis(1 + random.nextInt(1_000)));
        };
    }

    @Test
    void doesNotSendRequestsThatExpiredWhileWaiting() throws Exception {
        ManualClock clock = QuietClock.at(NOW);
        try (RedisEngine engine = RedisEngine.connect(server.uri(), "p", clock)) {
            engine.ready().toCompletableFuture().get(60, TimeUnit.SECONDS);
            List<CompletableFuture<Outcome>> asks = new ArrayList<>();
            whileRedisIsBusy(engine, () -> {
                Ask ask = Ask.charging(List.of(Demand.of(TEN, "k", 3)));
                asks.add(ask(engine, ask.dueAt(clock.nanoTime() + 20_000_000)));
                asks.add(ask(engine, ask.dueAt(clock.nanoTime() + 20_000_001)));
                clock.advance(Duration.ofMillis(20));
            });
            assertThat(outcome(asks.get(0))).isEqualTo(new EngineFailure("redis-timeout", false));
            assertThat(remaining(asks.subList(1, 2))).containsExactly(7L);
        }
    }

    @Test
    void failsEveryRequestOfALostCallAndTellsWhetherItWasSent() throws Exception {
        try (RedisEngine engine = connect(RedisOptions.defaults())) {
            List<CompletableFuture<Outcome>> sent = new ArrayList<>();
            List<CompletableFuture<Outcome>> waiting = new ArrayList<>();
            server.freeze();
            for (int i = 0; i < Coalescer.MOST_UNDER_WAY; i++) {
                sent.add(ask(engine, TEN, 1));
            }
            for (int i = 0; i < 20; i++) {
                waiting.add(ask(engine, TEN, 1));
            }
            server.kill();
            for (CompletableFuture<Outcome> each : sent) {
                assertThat(outcome(each)).isEqualTo(new EngineFailure("redis-disconnected", true));
            }
            for (CompletableFuture<Outcome> each : waiting) {
                assertThat(outcome(each)).isEqualTo(new EngineFailure("redis-disconnected", false));
            }
        }
    }

    @Test
    void admitsExactlyTheLimitWhenBatchesOfTwoProcessesMeetOnOneKey() throws Exception {
        Limit many = Limit.named("many").tokenBucket(Rate.perDay(1)).withBurst(5_000);
        try (RedisEngine one = connect(RedisOptions.defaults());
                RedisEngine two = connect(RedisOptions.defaults())) {
            List<CompletableFuture<Outcome>> asks = new ArrayList<>();
            for (int i = 0; i < 10_000; i++) {
                asks.add(ask(i % 2 == 0 ? one : two, many, 1));
            }
            int allowed = 0;
            for (CompletableFuture<Outcome> each : asks) {
                allowed += ((EngineDecision) outcome(each)).allowed() ? 1 : 0;
            }
            assertThat(allowed).isEqualTo(5_000);
        }
    }

    @Test
    void decidesCorrectlyWhileTheFunctionIsFlushedRepeatedly() throws Exception {
        try (RedisEngine engine = connect(RedisOptions.defaults())) {
            AtomicBoolean over = new AtomicBoolean();
            CompletableFuture<Void> flushing = CompletableFuture.runAsync(() -> {
                while (!over.get()) {
                    redis.functionFlush(FlushMode.SYNC);
                    redis.scriptFlush();
                }
            });
            long used = 0;
            for (int round = 0; round < 30; round++) {
                List<CompletableFuture<Outcome>> asks = new ArrayList<>();
                for (int i = 0; i < 100; i++) {
                    asks.add(ask(engine, PLENTY, 1));
                }
                for (CompletableFuture<Outcome> each : asks) {
                    // A flush between each load and its call leaves a request undecided, and then certainly uncharged.
                    // Many of them may open the breaker.
                    Outcome outcome = outcome(each);
                    if (outcome instanceof EngineDecision) {
                        used++;
                    } else {
                        assertThat(outcome)
                                .isIn(
                                        new EngineFailure("redis-nofunction", false),
                                        new EngineFailure(RedisLink.BREAKER_OPEN, false));
                    }
                }
            }
            over.set(true);
            flushing.get(60, TimeUnit.SECONDS);
            assertThat(used).isPositive();
            Ask look = Ask.charging(List.of(Demand.of(PLENTY, "k", 1))).looking();
            Awaitility.await()
                    .atMost(Duration.ofMinutes(1))
                    .until(() -> outcome(ask(engine, look)) instanceof EngineDecision);
            assertThat(remaining(List.of(ask(engine, PLENTY, 1)))).containsExactly(1_000_000 - used - 1);
        }
    }

    @Test
    void continuesOnExistingKeysWhenRedisIsOutOfMemory() throws Exception {
        Limit log = Limit.named("log").slidingLog(3, Duration.ofMinutes(1));
        Limit held = Limit.named("held").concurrency(3, Duration.ofMinutes(1));
        Supplier<Ask> known =
                () -> Ask.charging(List.of(Demand.of(TEN, "k", 1), Demand.of(log, "k", 1), Demand.of(held, "k", 1)));
        Ask partly = Ask.charging(List.of(Demand.of(TEN, "k", 1), Demand.of(log, "new", 1)));
        try (RedisEngine engine = connect(RedisOptions.defaults())) {
            assertThat(outcome(ask(engine, known.get()))).isInstanceOf(EngineDecision.class);
            redis.configSet("maxmemory", "1");
            List<CompletableFuture<Outcome>> asks = new ArrayList<>();
            whileRedisIsBusy(engine, () -> {
                for (Ask each : List.of(known.get(), partly, known.get(), partly, partly.looking(), known.get())) {
                    asks.add(ask(engine, each));
                }
            });
            List<Object> found = new ArrayList<>();
            for (CompletableFuture<Outcome> each : asks) {
                Outcome outcome = outcome(each);
                found.add(outcome instanceof EngineDecision decided ? decided.allowed() : outcome);
            }
            EngineFailure full = new EngineFailure("redis-oom", false);
            assertThat(found).containsExactly(true, full, true, full, true, false);
            assertThat(redis.keys("*")).hasSize(3);
            redis.configSet("maxmemory", "0");
            assertThat(outcome(ask(engine, partly))).isInstanceOf(EngineDecision.class);
            assertThat(remaining(List.of(ask(engine, TEN, 1)))).containsExactly(5L);
        }
    }

    @Test
    void decidesAnAskWithMoreDemandsThanABatchHolds() throws Exception {
        List<Demand> demands = new ArrayList<>();
        for (int i = 0; i < 2_500; i++) {
            demands.add(Demand.of(TEN, "k" + i, 1 + i % 10));
        }
        try (RedisEngine engine = connect(RedisOptions.defaults())) {
            EngineDecision decided = (EngineDecision) outcome(ask(engine, Ask.charging(demands)));
            assertThat(decided.allowed()).isTrue();
            for (int i = 0; i < 2_500; i++) {
                assertThat(decided.verdicts().get(i).remaining()).isEqualTo(9 - i % 10);
            }
            assertThat(((EngineDecision) outcome(ask(engine, Ask.charging(demands)))).allowed())
                    .isFalse();
        }
    }

    @Test
    void treatsAForeignValueAsAnUnusedCount() throws Exception {
        Limit log = Limit.named("log").slidingLog(3, Duration.ofMinutes(1));
        Limit slots = Limit.named("slots").concurrency(3, Duration.ofMinutes(1));
        Limit window = Limit.named("window").slidingWindow(3, Duration.ofMinutes(1));
        List<Limit> limits = List.of(TEN, log, slots, window);
        RedisKeys names = new RedisKeys("p");
        for (Limit limit : limits) {
            redis.set(names.of(limit, "text"), "not ours");
            redis.rpush(names.of(limit, "list"), "not", "ours");
        }
        try (RedisEngine engine = connect(RedisOptions.defaults())) {
            for (String key : List.of("text", "list")) {
                List<Demand> all =
                        limits.stream().map(limit -> Demand.of(limit, key, 2)).toList();
                EngineDecision decided = (EngineDecision) outcome(ask(engine, Ask.charging(all)));
                assertThat(decided.verdicts()).extracting(Verdict::remaining).containsExactly(8L, 1L, 1L, 1L);
                decided = (EngineDecision) outcome(ask(engine, Ask.charging(all).looking()));
                assertThat(decided.verdicts()).extracting(Verdict::remaining).containsExactly(8L, 1L, 1L, 1L);
            }
        }
    }

    @Test
    void recordsEveryStepOfACountWithItsNumber() throws Exception {
        ConcurrentLinkedQueue<HistoryEvent> heard = new ConcurrentLinkedQueue<>();
        RedisOptions recording = RedisOptions.defaults().recording(heard::add);
        try (RedisEngine one = connect(recording);
                RedisEngine two = connect(recording)) {
            List<CompletableFuture<?>> answers = new ArrayList<>();
            for (int i = 0; i < 300; i++) {
                RedisEngine engine = i % 2 == 0 ? one : two;
                Demand first = Demand.of(TEN, "a" + i % 3, 1);
                Demand second = Demand.of(PLENTY, "b", 1);
                answers.add(ask(engine, Ask.charging(List.of(first, second))));
                if (i % 10 == 0) {
                    answers.add(engine.giveBack(List.of(new Charge(PLENTY, "b", 1, NOW, "")))
                            .toCompletableFuture());
                }
            }
            for (CompletableFuture<?> each : answers) {
                each.get(60, TimeUnit.SECONDS);
            }
        }
        Map<String, List<StepEvent>> histories = heard.stream()
                .filter(StepEvent.class::isInstance)
                .map(StepEvent.class::cast)
                .sorted(Comparator.comparingLong(StepEvent::number)
                        .thenComparing(step -> !step.changed())
                        .thenComparingLong(StepEvent::atMicros))
                .collect(Collectors.groupingBy(StepEvent::count));
        assertThat(histories).hasSize(4);
        histories.forEach((count, steps) -> {
            List<Long> changes = steps.stream()
                    .filter(StepEvent::changed)
                    .map(StepEvent::number)
                    .toList();
            assertThat(changes)
                    .containsExactlyElementsOf(
                            LongStream.rangeClosed(1, changes.size()).boxed().toList());
            assertThat(steps).filteredOn(step -> !step.changed()).allSatisfy(step -> assertThat(
                            ((StepEvent.Asked) step.step()).verdict().granted())
                    .isZero());
            assertThat(steps).isSortedAccordingTo(Comparator.comparingLong(StepEvent::atMicros));
        });
        long left = 10;
        for (StepEvent step : histories.get(new RedisKeys("p").of(TEN, "a0"))) {
            StepEvent.Asked asked = (StepEvent.Asked) step.step();
            left -= asked.verdict().granted();
            assertThat(asked.verdict().remaining()).isEqualTo(left);
        }
        assertThat(redis.keys("p:*")).hasSize(4);
        assertThat(redis.keys("*")).hasSize(4).allSatisfy(key -> assertThat(redis.pttl(key))
                .isPositive());
    }

    private RedisEngine connect(RedisOptions options) throws Exception {
        RedisEngine engine =
                RedisEngine.connect(server.uri(), "p", Clock.system(), options.slow(Duration.ofMinutes(1)));
        engine.ready().toCompletableFuture().get(60, TimeUnit.SECONDS);
        return engine;
    }

    private RedisEngine onTime(Supplier<String> time) throws Exception {
        RedisOptions patient = RedisOptions.defaults().slow(Duration.ofMinutes(1));
        RedisEngine engine = RedisEngine.onTime(server.uri(), "p", Clock.system(), patient, time);
        engine.ready().toCompletableFuture().get(60, TimeUnit.SECONDS);
        return engine;
    }

    /** Keeps Redis busy, so that requests have to wait for the connection. */
    private void whileRedisIsBusy(RedisEngine engine, Runnable asking) throws Exception {
        server.freeze();
        List<CompletableFuture<Outcome>> busy = new ArrayList<>();
        for (int i = 0; i < Coalescer.MOST_UNDER_WAY; i++) {
            busy.add(ask(engine, PLENTY, 1));
        }
        asking.run();
        server.thaw();
        for (CompletableFuture<Outcome> each : busy) {
            outcome(each);
        }
    }

    private static CompletableFuture<Outcome> ask(RedisEngine engine, Limit limit, long permits) {
        return ask(engine, Ask.charging(List.of(Demand.of(limit, "k", permits))));
    }

    private static CompletableFuture<Outcome> ask(RedisEngine engine, Ask ask) {
        Answer answer = engine.decide(ask);
        return answer instanceof PendingOutcome pending
                ? pending.outcome().toCompletableFuture()
                : CompletableFuture.completedFuture((Outcome) answer);
    }

    private static Outcome outcome(CompletableFuture<Outcome> asked) throws Exception {
        return asked.get(60, TimeUnit.SECONDS);
    }

    private static List<Long> remaining(List<CompletableFuture<Outcome>> asks) throws Exception {
        List<Long> remaining = new ArrayList<>();
        for (CompletableFuture<Outcome> each : asks) {
            remaining.add(((EngineDecision) outcome(each)).verdicts().get(0).remaining());
        }
        return remaining;
    }

    /** Returns how often the function was called. */
    private long calls() {
        Matcher stats = Pattern.compile("cmdstat_fcall:calls=(\\d+)").matcher(redis.info("commandstats"));
        return stats.find() ? Long.parseLong(stats.group(1)) : 0;
    }
}
