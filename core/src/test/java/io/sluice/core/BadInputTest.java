package io.sluice.core;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatNullPointerException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.core.limit.Calendar;
import io.sluice.core.limit.Concurrency;
import io.sluice.core.limit.LeakyBucket;
import io.sluice.core.limit.Limit;
import io.sluice.core.limit.Rate;
import io.sluice.core.limit.SlidingLog;
import io.sluice.core.limit.SlidingWindow;
import io.sluice.core.limit.TokenBucket;
import io.sluice.core.local.LocalEngine;
import io.sluice.core.spi.Ask;
import io.sluice.core.spi.Charge;
import io.sluice.core.spi.Demand;
import io.sluice.core.spi.EngineDecision;
import io.sluice.core.spi.FailurePolicy;
import io.sluice.core.spi.Verdict;
import io.sluice.core.time.ManualClock;
import java.time.Duration;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Null, empty, too small and too large values everywhere: either an error that says what to type, or a defined answer. */
final class BadInputTest {

    private static final long MAX = Long.MAX_VALUE;
    private static final long MIN = Long.MIN_VALUE;
    private static final Duration FOREVER = Duration.ofSeconds(MAX);
    private static final Duration SECOND = Duration.ofSeconds(1);
    private static final Limit.Named X = Limit.named("x");
    private static final TokenBucket TEN = X.tokenBucket(Rate.perSecond(10));
    private static final String MICROS = " (expected: whole microseconds from PT0.000001S to PT24000H)";
    private static final String CAPACITY = " (expected: 0..1000000000000)";
    private static final String PERMITS = " (expected: 1..1000000000)";
    private static final String WAIT = " (expected: PT0S to PT24000H)";
    private static final String SHARE = " (expected: above 0, at most 1)";

    private final ManualClock clock = ManualClock.at(1_790_000_000_000_000L);
    private final LocalEngine engine = new LocalEngine(clock);
    private final Limiter limiter = new Limiter(engine, clock, List.of());

    static Stream<Arguments> refused() {
        List<Arguments> cases = new ArrayList<>();
        for (long bad : new long[] {-1, -3, MIN, MAX, 1_000_000_000_001L}) {
            add(cases, "permits: " + bad + CAPACITY, () -> Rate.perSecond(bad));
            add(cases, "permits: " + bad + CAPACITY, () -> Rate.perMinute(bad));
            add(cases, "permits: " + bad + CAPACITY, () -> Rate.perHour(bad));
            add(cases, "permits: " + bad + CAPACITY, () -> Rate.perDay(bad));
            add(cases, "burst: " + bad + CAPACITY, () -> TEN.withBurst(bad));
            add(cases, "limit: " + bad + CAPACITY, () -> X.fixedWindow(bad, SECOND));
            add(cases, "limit: " + bad + CAPACITY, () -> X.fixedWindow(bad, Calendar.DAY, ZoneOffset.UTC));
            add(cases, "limit: " + bad + CAPACITY, () -> X.slidingWindow(bad, SECOND));
            add(cases, "limit: " + bad + " (expected: 0..100000)", () -> X.slidingLog(bad, SECOND));
            add(cases, "limit: " + bad + " (expected: 0..100000)", () -> X.concurrency(bad, SECOND));
            add(cases, "capacity: " + bad + " (expected: 0..999999999999)", () -> X.leakyBucket(Rate.perSecond(1))
                    .withCapacity(bad));
        }
        add(cases, "capacity: 1000000000000 (expected: 0..999999999999)", () -> X.leakyBucket(Rate.perSecond(1))
                .withCapacity(1_000_000_000_000L));
        for (int bad : new int[] {0, -1, 1_001, Integer.MIN_VALUE, Integer.MAX_VALUE}) {
            add(cases, "slices: " + bad + " (expected: 1..1000)", () -> X.slidingWindow(1, SECOND)
                    .withSlices(bad));
        }
        add(cases, "slices: 4 (expected: 1..3)", () -> X.slidingWindow(1, Duration.ofNanos(3_000))
                .withSlices(4));
        for (Duration bad : List.of(
                Duration.ZERO,
                SECOND.negated(),
                FOREVER,
                FOREVER.negated(),
                Duration.ofNanos(1_001),
                Duration.ofNanos(1))) {
            add(cases, "per: " + bad + MICROS, () -> new Rate(1, bad));
            add(cases, "window: " + bad + MICROS, () -> X.fixedWindow(1, bad));
            add(cases, "window: " + bad + MICROS, () -> X.slidingWindow(1, bad));
            add(cases, "window: " + bad + MICROS, () -> X.slidingLog(1, bad));
            add(cases, "ttl: " + bad + MICROS, () -> X.concurrency(1, bad));
        }
        for (Duration bad : List.of(
                SECOND.negated(),
                FOREVER,
                FOREVER.negated(),
                Duration.ofDays(1_000).plusNanos(1))) {
            add(cases, "maxWait: " + bad + WAIT, () -> X.leakyBucket(Rate.perSecond(1))
                    .withMaxWait(bad));
            add(cases, "maxWait: " + bad + WAIT, () -> X.tokenBucket(Rate.perSecond(1))
                    .withMaxWait(bad));
            add(cases, "deadline: " + bad + WAIT, () -> new Limiter(
                            new LocalEngine(ManualClock.at(0)), ManualClock.at(0), List.of())
                    .dueIn(bad));
        }
        for (long bad : new long[] {0, -5, MIN, MAX, 1_000_000_001}) {
            add(cases, "permits: " + bad + PERMITS, () -> Demand.of(TEN, "k", bad));
            add(cases, "permits: " + bad + PERMITS, () -> new Charge(TEN, "k", bad, 0, ""));
            add(cases, "permits: " + bad + PERMITS, () -> new LocalEngine(ManualClock.at(0))
                    .gate(TEN, "k")
                    .tryPass(bad));
            add(cases, "permits: " + bad + PERMITS, () -> new LocalEngine(ManualClock.at(0))
                    .gate(TEN, "k")
                    .pass(bad));
            add(cases, "atLeast: " + bad + " (expected: 1..3)", () -> Demand.of(TEN, "k", 3)
                    .orAtLeast(bad));
        }
        for (long bad : new long[] {-1, MIN, Demand.MAX_WAIT_MICROS + 1, MAX}) {
            add(cases, "maxWaitMicros: " + bad + " (expected: 0..86400000000000)", () -> Demand.of(TEN, "k", 1)
                    .waitingUpTo(bad));
        }
        for (double bad :
                new double[] {0, -1, 1.1, Double.NaN, Double.POSITIVE_INFINITY, Double.NEGATIVE_INFINITY, 1e308}) {
            for (Limit limit : all()) {
                add(cases, "share: " + bad + SHARE, () -> limit.scaled(bad));
            }
            add(cases, "localShare: " + bad + SHARE, () -> Ask.charging(List.of())
                    .onFailure(FailurePolicy.LOCAL, bad));
        }
        for (long bad : new long[] {0, -1, MIN, MAX, 1L + Integer.MAX_VALUE}) {
            add(cases, "maxKeys: " + bad + " (expected: 1..2147483647)", () -> LocalEngine.builder()
                    .clock(ManualClock.at(0))
                    .maxKeys(bad)
                    .build());
        }
        String held = " (expected: a name for a concurrency limit, empty for other limits)";
        add(cases, "holder: \"\"" + held, () -> Demand.of(X.concurrency(1, SECOND), "k", 1)
                .heldBy(""));
        add(cases, "holder: \"me\"" + held, () -> Demand.of(TEN, "k", 1).heldBy("me"));
        add(cases, "name: \"\" (expected: 1 to 256 letters, digits, '-', '_', '.')", () -> Limit.named(""));
        add(
                cases,
                "name: \"a b\" (expected: 1 to 256 letters, digits, '-', '_', '.')",
                () -> new SlidingLog("a b", 1, SECOND));
        return cases.stream();
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("refused")
    void isRefusedWithAMessageThatSaysWhatIsExpected(String message, ThrowingCallable call) {
        assertThatThrownBy(call).isInstanceOf(IllegalArgumentException.class).hasMessage(message);
    }

    static Stream<ThrowingCallable> nulls() {
        LocalEngine engine = new LocalEngine(ManualClock.at(0));
        Limiter limiter = new Limiter(engine, ManualClock.at(0), List.of());
        Demand demand = Demand.of(TEN, "k", 1);
        Ask ask = Ask.charging(List.of(demand));
        List<Demand> holed = new ArrayList<>();
        holed.add(null);
        return Stream.of(
                () -> Limit.named(null),
                () -> X.tokenBucket(null),
                () -> X.leakyBucket(null),
                () -> X.leakyBucket(Rate.perSecond(1)).withMaxWait(null),
                () -> X.fixedWindow(1, null),
                () -> X.fixedWindow(1, null, ZoneOffset.UTC),
                () -> X.fixedWindow(1, Calendar.DAY, null),
                () -> X.slidingWindow(1, null),
                () -> X.slidingLog(1, null),
                () -> X.concurrency(1, null),
                () -> new Rate(1, null),
                () -> new SlidingWindow(null, 1, SECOND, 1, false),
                () -> Demand.of(null, "k", 1),
                () -> Demand.of(TEN, null, 1),
                () -> demand.labelled(null),
                () -> demand.heldBy(null),
                () -> demand.on(null),
                () -> Ask.charging(null),
                () -> Ask.charging(holed),
                () -> ask.onFailure(null, 1),
                () -> new Ask(List.of(), null, 0, FailurePolicy.OPEN, 1, 0),
                () -> new Charge(null, "k", 1, 0, ""),
                () -> new Charge(TEN, null, 1, 0, ""),
                () -> new Charge(TEN, "k", 1, 0, null),
                () -> new LocalEngine(null),
                () -> engine.gate(null, "k"),
                () -> engine.gate(TEN, null),
                () -> engine.decide(null),
                () -> engine.giveBack(null),
                () -> engine.renew(null),
                () -> new Limiter(engine, ManualClock.at(0), null),
                () -> limiter.decide((Ask) null),
                () -> limiter.decide((List<Demand>) null),
                () -> limiter.decide(null, "k", 1),
                () -> limiter.decide(TEN, null, 1),
                () -> limiter.look((List<Demand>) null),
                () -> limiter.giveBack(null),
                () -> limiter.dueIn(null));
    }

    @ParameterizedTest
    @MethodSource("nulls")
    void nullIsRefused(ThrowingCallable call) {
        assertThatNullPointerException().isThrownBy(call);
    }

    @Test
    void limitsOfZeroRefuseForEver() {
        for (Limit limit : List.of(
                X.tokenBucket(Rate.perSecond(0)),
                TEN.withBurst(0),
                X.leakyBucket(Rate.perSecond(0)),
                X.fixedWindow(0, SECOND),
                X.fixedWindow(0, Calendar.YEAR, ZoneOffset.UTC),
                X.slidingWindow(0, SECOND),
                X.slidingWindow(0, SECOND).asEstimate(),
                X.slidingLog(0, SECOND),
                X.concurrency(0, SECOND))) {
            Decision decision = limiter.decide(limit, "k", 1);
            assertThat(decision.allowed()).as("%s", limit).isFalse();
            assertThat(decision.retryAfter()).as("%s", limit).isEmpty();
            assertThat(decision.remaining()).as("%s", limit).isZero();
        }
    }

    @Test
    void permitsThatNeverFitAreRefusedForEverAndChargeNothing() {
        for (Limit limit : all()) {
            Decision decision = limiter.decide(limit, "k", Limit.MAX_PERMITS);
            assertThat(decision.allowed()).as("%s", limit).isFalse();
            assertThat(decision.retryAfter()).as("%s", limit).isEmpty();
            assertThat(limiter.decide(limit, "k", 1).allowed()).as("%s", limit).isTrue();
        }
        assertThat(engine.gate(TEN, "gate").pass(Limit.MAX_PERMITS).retryAfterMicros())
                .isEqualTo(Verdict.NEVER);
    }

    @Test
    void theLargestNumbersAreCountedAsTheyAre() {
        Rate fastest = Rate.perSecond(1_000_000_000);
        Rate slowest = new Rate(1, Duration.ofDays(1_000));
        for (Limit limit : List.of(
                X.tokenBucket(fastest).withBurst(Limit.MAX_CAPACITY),
                Limit.named("slow").tokenBucket(slowest).withBurst(Limit.MAX_CAPACITY),
                X.leakyBucket(fastest).withCapacity(Limit.MAX_CAPACITY - 1),
                X.fixedWindow(Limit.MAX_CAPACITY, Duration.ofDays(1_000)),
                X.slidingWindow(Limit.MAX_CAPACITY, Duration.ofDays(1_000)).withSlices(1_000),
                Limit.named("estimate")
                        .slidingWindow(Limit.MAX_CAPACITY, Duration.ofDays(1_000))
                        .asEstimate())) {
            for (int i = 1; i <= 1_000; i++) {
                Decision decision = limiter.decide(limit, "k", Limit.MAX_PERMITS);
                assertThat(decision.allowed()).as("%s, time %d", limit, i).isTrue();
                assertThat(decision.remaining()).as("%s", limit).isEqualTo(Limit.MAX_CAPACITY - i * Limit.MAX_PERMITS);
            }
            assertThat(limiter.decide(limit, "k", 1).allowed()).as("%s", limit).isFalse();
        }
    }

    @Test
    void deadlinesAndWaitsOfAllSizesAreTaken() {
        for (long deadline : new long[] {MIN, -1, 0, 1, MAX}) {
            Ask ask = Ask.charging(List.of(Demand.of(TEN, "k" + deadline, 1).waitingUpTo(Demand.MAX_WAIT_MICROS)))
                    .dueAt(deadline);
            assertThat(limiter.decide(ask).allowed()).isTrue();
        }
    }

    @Test
    void anyTextIsAKeyAndNoTwoAreOne() {
        List<String> keys =
                new ArrayList<>(List.of("", " ", "\0", "#", "#overflow:0:0", "#sha256:", "\uD800", "é", "k"));
        keys.add("k".repeat(100_000));
        keys.add("k".repeat(99_999) + "l");
        keys.add("é".repeat(100_000));
        for (Limit limit : all()) {
            for (String key : keys) {
                Decision decision = limiter.decide(limit, key, limit.capacity());
                assertThat(decision.allowed())
                        .as("%s, key %d", limit, keys.indexOf(key))
                        .isTrue();
                assertThat(decision.toString()).doesNotContain("kkkk");
                assertThat(limiter.decide(limit, key, 1).allowed()).isFalse();
            }
        }
    }

    @Test
    void chargesThatWereNeverMadeGiveNothingBack() {
        for (Limit limit : all()) {
            Demand all = Demand.of(limit, "k", limit.capacity());
            assertThat(((EngineDecision) engine.decide(Ask.charging(List.of(all)))).allowed())
                    .isTrue();
            for (long at : new long[] {MIN, -1, 0, 1, MAX, MAX - 1, MIN + 1}) {
                engine.giveBack(List.of(
                        new Charge(limit, "k", Limit.MAX_PERMITS, at, limit instanceof Concurrency ? "nobody" : ""),
                        new Charge(limit, "never seen", 1, at, "")));
            }
            assertThat(limiter.decide(limit, "k", 1).allowed()).as("%s", limit).isFalse();
        }
    }

    @Test
    void equalLimitsAreEqualHoweverTheyWereBuilt() {
        LeakyBucket built = X.leakyBucket(Rate.perSecond(10)).withCapacity(10);
        assertThat(built.withMaxWait(SECOND)).isEqualTo(built).hasSameHashCodeAs(built);
        assertThat(TEN.withMaxWait(SECOND)).isNotEqualTo(TEN);
        assertThat(TEN.withMaxWait(SECOND).withBurst(3).withMaxWait(Duration.ZERO))
                .isEqualTo(TEN.withBurst(3))
                .hasSameHashCodeAs(TEN.withBurst(3));
    }

    private static List<Limit> all() {
        return List.of(
                TEN,
                X.leakyBucket(Rate.perSecond(10)),
                X.fixedWindow(10, SECOND),
                Limit.named("day").fixedWindow(10, Calendar.DAY, ZoneOffset.UTC),
                X.slidingWindow(10, SECOND),
                Limit.named("estimate").slidingWindow(10, SECOND).asEstimate(),
                X.slidingLog(10, SECOND),
                X.concurrency(10, SECOND));
    }

    private static void add(List<Arguments> cases, String message, ThrowingCallable call) {
        cases.add(Arguments.of(message, call));
    }
}
