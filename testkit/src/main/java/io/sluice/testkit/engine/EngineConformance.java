package io.sluice.testkit.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.core.limit.Limit;
import io.sluice.core.limit.Rate;
import io.sluice.core.limit.SlidingWindow;
import io.sluice.core.local.LocalEngine;
import io.sluice.core.spi.Ask;
import io.sluice.core.spi.Charge;
import io.sluice.core.spi.Demand;
import io.sluice.core.spi.EngineDecision;
import io.sluice.core.spi.EngineFailure;
import io.sluice.core.spi.Verdict;
import io.sluice.testkit.SeededRandom;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

/**
 * The contract of every engine as tests. Extend this class and return your engine from {@link #start}. The suite then tests all
 * promises of {@link io.sluice.core.spi.Engine}.
 */
public abstract class EngineConformance {

    static final long NOW = 1_790_000_000_000_000L;
    static final Limit THREE = Limit.named("three").slidingLog(3, Duration.ofMinutes(1));
    static final Limit TEN = Limit.named("ten").tokenBucket(Rate.perDay(10)).withBurst(10);

    private @Nullable EngineUnderTest started;

    /** Starts a fresh engine on empty counts. */
    protected abstract EngineUnderTest start() throws Exception;

    @BeforeEach
    final void startEngine() throws Exception {
        started = start();
        started.setMicros(NOW);
    }

    @AfterEach
    final void closeEngine() throws Exception {
        subject().close();
    }

    @TestFactory
    Stream<DynamicTest> replaysGoldenVectors() {
        return replays(GoldenVector.all());
    }

    /** Returns the vectors to replay: all vectors, unless another class replays all of them on nearly the same engine. */
    protected List<GoldenVector> chosen(List<GoldenVector> vectors) {
        return vectors;
    }

    /** Returns a test for each chosen vector that the engine can replay, on a fresh engine. */
    final Stream<DynamicTest> replays(List<GoldenVector> vectors) {
        return chosen(vectors).stream()
                .filter(vector -> subject().timeStepsBack() || !vector.stepsBack())
                .map(vector -> DynamicTest.dynamicTest(vector.toString(), () -> {
                    try (EngineUnderTest fresh = start()) {
                        vector.replay(fresh);
                    }
                }));
    }

    @Test
    void admitsWithoutDemands() {
        assertThat(subject().decide(Ask.charging(List.of())).allowed()).isTrue();
    }

    @Test
    void chargesNothingAnywhereWhenOneLimitRefuses() {
        Ask both = ask(Demand.of(TEN, "shared", 1), Demand.of(THREE, "caller", 1));
        for (int i = 0; i < 3; i++) {
            assertThat(subject().decide(both).allowed()).isTrue();
        }
        for (int i = 0; i < 50; i++) {
            EngineDecision refused = subject().decide(both);
            assertThat(refused.allowed()).isFalse();
            assertThat(refused.verdicts()).extracting(Verdict::fits).containsExactly(true, false);
            assertThat(refused.verdicts()).extracting(Verdict::granted).containsOnly(0L);
        }
        assertThat(remaining(TEN, "shared")).isEqualTo(7);
    }

    @Test
    void answersInTheOrderOfTheDemands() {
        EngineDecision decided = subject()
                .decide(ask(
                        Demand.of(TEN, "z", 4),
                        Demand.of(THREE, "a", 1),
                        Demand.of(TEN, "a", 2),
                        Demand.of(THREE, "m", 3)));
        assertThat(decided.verdicts()).extracting(Verdict::remaining).containsExactly(6L, 2L, 8L, 0L);
    }

    @Test
    void admitsExactlyTheLimitWhenManyAskAtOnce() throws Exception {
        Ask one = ask(Demand.of(TEN, "hot", 1));
        assertThat(inParallel(500, () -> subject().decide(one).allowed())).isEqualTo(10);
    }

    @Test
    void staysAllOrNothingWhenManyAskAtOnce() throws Exception {
        // Half of the callers name the counts in reverse order: an engine that locks in that order would deadlock.
        Ask there = ask(Demand.of(TEN, "left", 1), Demand.of(THREE, "right", 1));
        Ask back = ask(Demand.of(THREE, "right", 1), Demand.of(TEN, "left", 1));
        Random coin = new Random(7);
        assertThat(inParallel(300, () -> subject()
                        .decide(coin.nextBoolean() ? there : back)
                        .allowed()))
                .isEqualTo(3);
        assertThat(remaining(TEN, "left")).isEqualTo(7);
        assertThat(remaining(THREE, "right")).isZero();
    }

    @Test
    void givesBackWhatWasCharged() throws Exception {
        Ask both = ask(Demand.of(TEN, "k", 4), Demand.of(THREE, "k", 3));
        EngineDecision decided = subject().decide(both);
        assertThat(subject().decide(both).allowed()).isFalse();
        subject().engine().giveBack(decided.charges(both)).toCompletableFuture().get(60, TimeUnit.SECONDS);
        assertThat(remaining(TEN, "k")).isEqualTo(10);
        assertThat(remaining(THREE, "k")).isEqualTo(3);
    }

    @Test
    void tellsWhetherAHeldPermitWasStillHeldWhenItIsGivenBack() throws Exception {
        Limit held = Limit.named("held").concurrency(2, Duration.ofMinutes(1));
        Ask both = ask(Demand.of(held, "k", 1), Demand.of(TEN, "k", 1));
        List<Charge> charges = subject().decide(both).charges(both);
        List<Charge> permit = charges.stream().filter(Charge::isHeld).toList();
        List<Charge> other = charges.stream().filter(charge -> !charge.isHeld()).toList();
        assertThat(givenBack(other)).isFalse();
        assertThat(givenBack(permit)).isTrue();
        assertThat(givenBack(permit)).isFalse();
        assertThat(remaining(held, "k")).isEqualTo(2);
        assertThat(remaining(TEN, "k")).isEqualTo(10);
    }

    @Test
    void aChargeFromOutsideChangesNoPermit() throws Exception {
        Limit hour = Limit.named("held").concurrency(1, Duration.ofHours(1));
        Limit moment = Limit.named("held").concurrency(1, Duration.ofMillis(1));
        Ask one = ask(Demand.of(hour, "k", 1));
        assertThat(subject().decide(one).allowed()).isTrue();
        Charge forged = new Charge(moment, "k", 1, 0, "nobody");
        assertThat(givenBack(List.of(forged))).isFalse();
        assertThat(subject().engine().renew(forged).toCompletableFuture().get(60, TimeUnit.SECONDS))
                .isFalse();
        subject().setMicros(NOW + 1_000_000);
        assertThat(subject().decide(ask(Demand.of(hour, "k", 1))).allowed()).isFalse();
    }

    private boolean givenBack(List<Charge> charges) throws Exception {
        return subject().engine().giveBack(charges).toCompletableFuture().get(60, TimeUnit.SECONDS);
    }

    @Test
    void keepsApartKeysThatLookAlike() {
        List<String> keys = List.of(
                "",
                " ",
                "a",
                "A",
                "a:b",
                "a%3Ab",
                "a%",
                "{a}",
                "{}",
                "}{",
                "a\nb",
                "a\r\nb",
                "a\0",
                "\0",
                "*",
                "?",
                "\uD800",
                "\uDBFF",
                "\uFFFD",
                "é",
                "e\u0301",
                "日本",
                "#sha256:00",
                "%23",
                "x".repeat(255),
                "x".repeat(256),
                "x".repeat(257),
                "x".repeat(100_000),
                "x".repeat(99_999) + "y",
                "日".repeat(200),
                "\uD800".repeat(300));
        for (String key : keys) {
            Ask whole = ask(Demand.of(THREE, key, 3));
            assertThat(subject().decide(whole).allowed())
                    .as("key %d of %s", keys.indexOf(key), keys.size())
                    .isTrue();
        }
    }

    @Test
    void namesTheFirstMomentAtWhichALoneCallerPasses() {
        SeededRandom random = SeededRandom.of("namesTheFirstMomentAtWhichALoneCallerPasses");
        long now = NOW;
        for (int i = 0; i < 120; i++) {
            Limit limit = randomLimit(random, i % 6, "limit" + i, Duration.ofMillis(1 + random.nextInt(9_999)));
            long permits = random.nextLong(limit.capacity()) + 1;
            for (int step = 0; step < 5; step++) {
                Ask ask = ask(Demand.of(limit, "lone", permits));
                EngineDecision decided = subject().decide(ask);
                if (!decided.allowed()) {
                    long retry = decided.verdicts().get(0).retryAfterMicros();
                    subject().setMicros(now + retry - 1);
                    assertThat(subject().decide(ask).allowed())
                            .as("%s: a microsecond before", random)
                            .isFalse();
                    now += retry;
                    subject().setMicros(now);
                    assertThat(subject().decide(ask).allowed())
                            .as("%s: at the moment named, %s", random, limit)
                            .isTrue();
                }
                now += random.nextInt(1_000);
                subject().setMicros(now);
            }
        }
    }

    @Test
    void agreesWithTheInProcessEngineOnWhateverIsAsked() throws Exception {
        SeededRandom random = SeededRandom.of("agreesWithTheInProcessEngineOnWhateverIsAsked");
        AtomicLong now = new AtomicLong(NOW);
        try (LocalEngine local = LocalEngine.onTime(now::get)) {
            long latest = NOW;
            List<Ask> charged = new ArrayList<>();
            List<EngineDecision> charges = new ArrayList<>();
            for (int step = 0; step < 1_500; step++) {
                latest = Math.max(latest, now.get());
                // Move forward by up to minutes, or back by no more than the engine waits for.
                long move = (long) Math.pow(10, random.nextDouble() * 8) - 1;
                now.set(
                        subject().timeStepsBack() && random.nextInt(20) == 0
                                ? latest - random.nextInt(1_000_000)
                                : now.get() + move);
                subject().setMicros(now.get());
                if (!charged.isEmpty() && random.nextInt(8) == 0) {
                    int last = charged.size() - 1;
                    List<Charge> back = charges.remove(last).charges(charged.remove(last));
                    local.giveBack(back).toCompletableFuture().get();
                    subject().engine().giveBack(back).toCompletableFuture().get(60, TimeUnit.SECONDS);
                    continue;
                }
                Ask ask = randomAsk(random);
                EngineDecision expected = (EngineDecision) local.decide(ask);
                assertThat(subject().decide(ask))
                        .as("%s, step %d: %s", random, step, ask)
                        .isEqualTo(expected);
                if (expected.allowed() && ask.charges()) {
                    charged.add(ask);
                    charges.add(expected);
                }
            }
        }
    }

    private Ask randomAsk(Random random) {
        List<Demand> demands = new ArrayList<>();
        int first = random.nextInt(6);
        for (int i = first; i <= first + random.nextInt(4); i++) {
            int kind = i % 6;
            Limit limit = randomLimit(random, kind, "limit" + kind, Duration.ofMillis(kind * 333L + 1));
            long permits = 1 + random.nextLong(limit.capacity() + 1);
            Demand demand = Demand.of(limit, "k" + random.nextInt(2), permits)
                    .orAtLeast(random.nextBoolean() ? permits : 1 + random.nextLong(permits));
            demands.add(random.nextInt(3) == 0 ? demand.waitingUpTo(random.nextInt(2_000_000)) : demand);
        }
        Ask ask = Ask.charging(demands);
        return random.nextInt(10) == 0 ? ask.looking() : ask;
    }

    /** Returns a limit of the given kind with random numbers, which do not affect the shape of its counts. */
    private static Limit randomLimit(Random random, int kind, String name, Duration window) {
        Limit.Named named = Limit.named(name);
        long limit = random.nextLong(50) + 1;
        long micros = (long) Math.pow(10, random.nextDouble() * 13) + 1;
        Rate rate = new Rate(
                1 + random.nextLong(Math.min(Limit.MAX_CAPACITY, micros * 1_000)),
                Duration.of(micros, ChronoUnit.MICROS));
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
    void isUndecidedWhenClosed() {
        subject().engine().close();
        assertThat(subject().engine().decide(ask(Demand.of(TEN, "k", 1)))).isInstanceOf(EngineFailure.class);
    }

    final long remaining(Limit limit, String key) {
        EngineDecision decided = subject().decide(ask(Demand.of(limit, key, 1)).looking());
        return decided.verdicts().get(0).remaining();
    }

    static Ask ask(Demand... demands) {
        return Ask.charging(List.of(demands));
    }

    /** Runs the task on this many threads concurrently. Returns the number of times that it returned true. */
    static int inParallel(int count, Callable<Boolean> task) throws Exception {
        ExecutorService threads = Executors.newFixedThreadPool(count);
        try {
            CountDownLatch ready = new CountDownLatch(count);
            List<Future<Boolean>> results = new ArrayList<>();
            for (int i = 0; i < count; i++) {
                results.add(threads.submit(() -> {
                    ready.countDown();
                    ready.await();
                    return task.call();
                }));
            }
            int yes = 0;
            for (Future<Boolean> result : results) {
                yes += result.get(60, TimeUnit.SECONDS) ? 1 : 0;
            }
            return yes;
        } finally {
            threads.shutdownNow();
        }
    }

    final EngineUnderTest subject() {
        return Objects.requireNonNull(started);
    }
}
