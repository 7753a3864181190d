package io.sluice.core;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.core.limit.Calendar;
import io.sluice.core.limit.Concurrency;
import io.sluice.core.limit.Limit;
import io.sluice.core.limit.Rate;
import io.sluice.core.local.LocalEngine;
import io.sluice.core.spi.Answer;
import io.sluice.core.spi.Ask;
import io.sluice.core.spi.Charge;
import io.sluice.core.spi.Demand;
import io.sluice.core.spi.Engine;
import io.sluice.core.spi.FailurePolicy;
import io.sluice.core.time.Clock;
import io.sluice.core.time.ManualClock;
import java.time.Duration;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

final class WaitSchedulerTest {

    private static final Duration SECOND = Duration.ofSeconds(1);
    private static final Duration MINUTE = Duration.ofMinutes(1);
    private static final Duration MICRO = Duration.ofNanos(1_000);

    private static final Limit BUCKET =
            Limit.named("bucket").tokenBucket(Rate.perSecond(10)).withBurst(1);
    private static final Limit QUEUE =
            Limit.named("queue").leakyBucket(Rate.perSecond(10)).withCapacity(3);
    private static final Limit WINDOW = Limit.named("window").fixedWindow(2, SECOND);
    private static final Limit LOG = Limit.named("log").slidingLog(2, SECOND);
    private static final Limit DAILY = Limit.named("daily").fixedWindow(1, Calendar.DAY, ZoneOffset.UTC);
    private static final Concurrency TWO = Limit.named("two").concurrency(2, MINUTE);

    private final ManualClock clock = ManualClock.at(1_790_000_000_000_000L);
    private final CountingEngine engine = new CountingEngine(new LocalEngine(clock));
    private final List<Boolean> told = new ArrayList<>();
    private final Limiter limiter =
            new Limiter(engine, clock, List.of((decision, nanos) -> told.add(decision.allowed())));
    private final List<Integer> passed = new ArrayList<>();

    @AfterEach
    void leavesNoWaiterInTheQueue() {
        assertThat(limiter.lines().waiting()).isZero();
        assertThat(limiter.lines().size()).isZero();
    }

    @Test
    void passesAtOnceWhereThereIsRoom() {
        for (Limit limit : List.of(BUCKET, QUEUE, WINDOW, LOG, DAILY, TWO)) {
            assertThat(limiter.acquireAsync(limit, "k", 1, Duration.ZERO).join().allowed())
                    .isTrue();
        }
        assertThat(engine.asked).isEqualTo(6);
    }

    @Test
    void reservesASlotWithOneAskAndWaitsForIt() {
        for (Limit limit : List.of(BUCKET, QUEUE)) {
            engine.asked = 0;
            limiter.decide(limit, "k", 1);
            CompletableFuture<Decision> first = limiter.acquireAsync(limit, "k", 1, SECOND);
            CompletableFuture<Decision> second = limiter.acquireAsync(limit, "k", 1, SECOND);
            clock.advance(Duration.ofMillis(100).minus(MICRO));
            assertThat(first).isNotDone();
            clock.advance(MICRO);
            assertThat(first).isCompletedWithValueMatching(Decision::allowed);
            clock.advance(Duration.ofMillis(100).minus(MICRO));
            assertThat(second).isNotDone();
            clock.advance(MICRO);
            assertThat(second).isCompletedWithValueMatching(Decision::allowed);
            assertThat(engine.asked).isEqualTo(3);
        }
    }

    @Test
    void refusesAtOnceASlotThatComesTooLate() {
        limiter.decide(BUCKET, "k", 1);
        assertThat(limiter.acquireAsync(BUCKET, "k", 1, Duration.ofMillis(100).minus(MICRO)))
                .isCompletedWithValueMatching(decision -> !decision.allowed());
        assertThat(limiter.acquireAsync(BUCKET, "k", 2, MINUTE)).isCompletedWithValueMatching(d -> !d.allowed());
        assertThat(limiter.acquireAsync(BUCKET, "k", 1, Duration.ofMillis(100))).isNotDone();
        clock.advance(SECOND);
    }

    @Test
    void waitsUntilEnoughRemainsForOthers() {
        Limit ten = Limit.named("ten").tokenBucket(Rate.perSecond(10)).withBurst(10);
        limiter.decide(ten, "k", 10);
        Demand keeping = Demand.of(ten, "k", 1).keeping(4);
        assertThat(limiter.acquireAsync(List.of(keeping), Duration.ofMillis(499)))
                .isCompletedWithValueMatching(decision -> !decision.allowed());
        CompletableFuture<Decision> later = limiter.acquireAsync(List.of(keeping), Duration.ofMillis(500));
        clock.advance(Duration.ofMillis(500).minus(MICRO));
        assertThat(later).isNotDone();
        clock.advance(MICRO);
        assertThat(later).isCompletedWithValueMatching(Decision::allowed);
        assertThat(later.join().outcome().verdicts().get(0).remaining()).isEqualTo(4);
    }

    @Test
    void waitsForThePartOfABucketThatWouldDo() {
        Limit ten = Limit.named("ten").tokenBucket(Rate.perSecond(10)).withBurst(10);
        limiter.decide(ten, "k", 10);
        engine.asked = 0;
        Demand part = Demand.of(ten, "k", 10).orAtLeast(5);
        assertThat(limiter.acquireAsync(List.of(part), Duration.ofMillis(499)))
                .isCompletedWithValueMatching(decision -> !decision.allowed());
        CompletableFuture<Decision> half = limiter.acquireAsync(List.of(part), Duration.ofMillis(999));
        clock.advance(Duration.ofMillis(500).minus(MICRO));
        assertThat(half).isNotDone();
        clock.advance(MICRO);
        assertThat(half).isCompletedWithValueMatching(Decision::allowed);
        assertThat(half.join().outcome().verdicts().get(0).granted()).isEqualTo(5);
        assertThat(engine.asked).isEqualTo(3);
    }

    @Test
    void leavesItToALeakyBucketHowManyWait() {
        List<CompletableFuture<Decision>> waits = new ArrayList<>();
        for (int i = 0; i < 5; i++) {
            waits.add(limiter.acquireAsync(QUEUE, "k", 1, MINUTE));
        }
        assertThat(waits.get(4)).isCompletedWithValueMatching(decision -> !decision.allowed());
        clock.advance(Duration.ofMillis(300));
        assertThat(waits.subList(0, 4)).allMatch(wait -> wait.join().allowed());
    }

    @Test
    void givesBackASlotWhoseWaiterLeaves() {
        limiter.decide(BUCKET, "k", 1);
        CompletableFuture<Decision> cancelled = limiter.acquireAsync(BUCKET, "k", 1, SECOND);
        CompletableFuture<Decision> abandoned = limiter.acquireAsync(BUCKET, "k", 1, SECOND);
        cancelled.cancel(false);
        abandoned.completeExceptionally(new IllegalStateException("as orTimeout would"));
        assertThat(engine.givenBack).hasSize(2);
        CompletableFuture<Decision> next = limiter.acquireAsync(BUCKET, "k", 1, Duration.ofMillis(100));
        clock.advance(Duration.ofMillis(100));
        assertThat(next).isCompletedWithValueMatching(Decision::allowed);
        assertThat(told).containsExactly(true, true);
    }

    @Test
    void servesManyWaitersInTheOrderTheyCame() {
        for (Limit limit : List.of(WINDOW, LOG, Limit.named("slices").slidingWindow(2, SECOND))) {
            passed.clear();
            limiter.decide(limit, "k", 2);
            for (int i = 0; i < 100; i++) {
                waitFor(i, limiter.acquireAsync(limit, "k", 1, MINUTE.multipliedBy(2)));
            }
            for (int i = 0; i < 1_000 && passed.size() < 100; i++) {
                clock.advance(Duration.ofMillis(100));
                assertThat(passed.size()).isLessThanOrEqualTo(2 * (i / 10 + 2));
            }
            assertThat(passed).hasSize(100).isSorted();
        }
    }

    @Test
    void onlyTheFirstAsksAndOnlyAtTheMomentNamed() {
        limiter.decide(WINDOW, "k", 2);
        for (int i = 0; i < 10; i++) {
            waitFor(i, limiter.acquireAsync(WINDOW, "k", 1, MINUTE));
        }
        assertThat(engine.asked).isEqualTo(2);
        clock.advance(SECOND.minus(MICRO));
        assertThat(engine.asked).isEqualTo(2);
        clock.advance(MICRO);
        assertThat(passed).containsExactly(0, 1);
        assertThat(engine.asked).isEqualTo(5);
        clock.advance(MINUTE);
    }

    @Test
    void letsNoNewcomerOvertakeWaitingCallers() {
        Hold all = limiter.hold(TWO, "k", 2);
        waitFor(1, limiter.acquireAsync(TWO, "k", 2, MINUTE));
        all.close();
        Hold one = limiter.hold(TWO, "other", 1);
        assertThat(passed).containsExactly(1);
        waitFor(2, limiter.acquireAsync(TWO, "other", 2, SECOND));
        waitFor(3, limiter.acquireAsync(TWO, "other", 1, SECOND));
        assertThat(passed).containsExactly(1);
        one.close();
        assertThat(passed).containsExactly(1, 2);
        clock.advance(SECOND);
    }

    @Test
    void aCancelledWaiterInTheMiddleFreesItsPlace() {
        Hold hold = limiter.hold(TWO, "k", 2);
        List<CompletableFuture<Hold>> waits = new ArrayList<>();
        for (int i = 0; i < 5; i++) {
            waits.add(limiter.holdAsync(TWO, "k", 2, SECOND));
        }
        waits.get(2).cancel(false);
        waits.get(0).cancel(true);
        assertThat(limiter.lines().waiting()).isEqualTo(3);
        hold.close();
        waits.get(1).join().close();
        waits.get(3).join().close();
        assertThat(waits.get(4)).isCompletedWithValueMatching(Hold::allowed);
        assertThat(told).containsExactly(true, true, true, true);
    }

    @Test
    void thoseBehindDoNotWaitForAFirstThatLeft() {
        limiter.decide(WINDOW, "k", 1);
        CompletableFuture<Decision> large = limiter.acquireAsync(WINDOW, "k", 2, MINUTE);
        waitFor(1, limiter.acquireAsync(WINDOW, "k", 1, MINUTE));
        assertThat(passed).isEmpty();
        large.cancel(false);
        assertThat(passed).containsExactly(1);
    }

    @Test
    void keepsToMaxWaitToTheMicrosecond() {
        limiter.hold(TWO, "k", 2);
        CompletableFuture<Decision> first = limiter.acquireAsync(TWO, "k", 1, SECOND);
        CompletableFuture<Decision> behind = limiter.acquireAsync(TWO, "k", 1, SECOND.plus(MICRO));
        CompletableFuture<Decision> shorter = limiter.acquireAsync(TWO, "k", 1, SECOND.minus(MICRO));
        clock.advance(SECOND.minus(MICRO).minusNanos(1));
        assertThat(shorter).isNotDone();
        clock.advance(Duration.ofNanos(1));
        assertThat(shorter).isCompletedWithValueMatching(decision -> !decision.allowed());
        assertThat(first).isNotDone();
        clock.advance(MICRO);
        assertThat(first).isCompletedWithValueMatching(decision -> !decision.allowed());
        assertThat(behind).isNotDone();
        clock.advance(MICRO);
        assertThat(behind).isCompletedWithValueMatching(decision -> !decision.allowed());
        assertThat(shorter.join().retryAfter()).contains(MINUTE.minus(SECOND).plus(MICRO));
        assertThat(told).containsExactly(true, false, false, false);
    }

    @Test
    void passesAtTheVeryEndOfItsWait() {
        limiter.decide(WINDOW, "k", 2);
        waitFor(0, limiter.acquireAsync(WINDOW, "k", 1, MINUTE));
        waitFor(1, limiter.acquireAsync(WINDOW, "k", 1, SECOND));
        waitFor(2, limiter.acquireAsync(WINDOW, "k", 1, SECOND));
        clock.advance(SECOND);
        assertThat(passed).containsExactly(0, 1, -2);
    }

    @Test
    void refusesAtOnceWhatWaitingWillNotHelp() {
        limiter.decide(DAILY, "k", 1);
        assertThat(limiter.acquireAsync(DAILY, "k", 1, SECOND)).isCompletedWithValueMatching(d -> !d.allowed());
        assertThat(limiter.acquireAsync(DAILY, "new", 2, Duration.ofDays(9)))
                .isCompletedWithValueMatching(d -> d.retryAfter().isEmpty());
        assertThat(limiter.acquireAsync(TWO, "k", 3, MINUTE))
                .isCompletedWithValueMatching(d -> d.retryAfter().isEmpty());
    }

    @Test
    void doesNotWaitBehindOthersWithoutTimeForIt() {
        limiter.hold(TWO, "k", 1);
        CompletableFuture<Decision> large = limiter.acquireAsync(TWO, "k", 2, SECOND);
        CompletableFuture<Decision> refused = limiter.acquireAsync(TWO, "k", 1, Duration.ZERO);
        assertThat(refused).isCompletedWithValueMatching(decision -> !decision.allowed());
        assertThat(refused.join().retryAfter()).contains(Duration.ZERO);
        assertThat(refused.join()).hasToString("refused by two (concurrency 2): 1 remaining, retry after 0s");
        Ask open = Ask.charging(List.of(Demand.of(TWO, "k", 1))).onFailure(FailurePolicy.OPEN, 1);
        assertThat(limiter.acquireAsync(open, Duration.ZERO)).isCompletedWithValueMatching(d -> !d.allowed());
        assertThat(limiter.decide(TWO, "k", 1).allowed()).isTrue();
        large.cancel(false);
    }

    @Test
    void waitsForSlotsAndOthersTogetherWithoutHoldingOneForTheOther() {
        List<Demand> both = List.of(Demand.of(BUCKET, "k", 1), Demand.of(TWO, "k", 1));
        limiter.decide(BUCKET, "k", 1);
        CompletableFuture<Decision> mixed = limiter.acquireAsync(both, SECOND);
        assertThat(limiter.look(List.of(Demand.of(TWO, "k", 2))).allowed()).isTrue();
        waitFor(2, limiter.acquireAsync(BUCKET, "k", 1, SECOND));
        clock.advance(Duration.ofMillis(100));
        assertThat(mixed).isCompletedWithValueMatching(Decision::allowed);
        assertThat(passed).isEmpty();
        clock.advance(Duration.ofMillis(100));
        assertThat(passed).containsExactly(2);
        assertThat(limiter.look(List.of(Demand.of(TWO, "k", 1))).remaining()).isEqualTo(1);
    }

    @Test
    void doesNotBlockCallersThatShareOnlyACountWithRoom() {
        limiter.decide(WINDOW, "ann", 2);
        waitFor(1, limiter.acquireAsync(demands("ann"), SECOND));
        waitFor(2, limiter.acquireAsync(demands("bob"), SECOND));
        assertThat(passed).containsExactly(2);
        waitFor(3, limiter.acquireAsync(demands("ann"), SECOND));
        waitFor(4, limiter.acquireAsync(demands("bob"), SECOND));
        waitFor(5, limiter.acquireAsync(demands("eve"), SECOND));
        assertThat(passed).containsExactly(2, 4);
        clock.advance(SECOND);
        assertThat(passed).containsExactlyInAnyOrder(2, 4, -1, -3, -5);
    }

    @Test
    void keepsItsPlaceWhenItHasToChangeQueues() {
        Hold shared = limiter.hold(TWO, "shared", 2);
        limiter.decide(WINDOW, "ann", 2);
        waitFor(1, limiter.acquireAsync(demands("ann"), MINUTE.minusNanos(1_000)));
        waitFor(2, limiter.acquireAsync(demands("bob"), MINUTE.minusNanos(1_000)));
        clock.advance(SECOND);
        limiter.decide(WINDOW, "bob", 2);
        shared.close();
        assertThat(passed).containsExactly(1);
        waitFor(3, limiter.acquireAsync(demands("bob"), SECOND));
        clock.advance(SECOND);
        assertThat(passed).containsExactly(1, 2, -3);
    }

    @Test
    void overtakesNoWaiterInAnotherOfItsQueuesWhenItsTurnComes() {
        limiter.hold(TWO, "a", 1);
        Hold b = limiter.hold(TWO, "b", 2);
        waitFor(1, limiter.acquireAsync(TWO, "b", 1, SECOND));
        waitFor(2, limiter.acquireAsync(TWO, "a", 2, SECOND));
        waitFor(3, limiter.acquireAsync(List.of(Demand.of(TWO, "b", 1), Demand.of(TWO, "a", 1)), SECOND));
        waitFor(4, limiter.acquireAsync(TWO, "b", 1, SECOND));
        b.close();
        assertThat(passed).containsExactly(1, 4);
        clock.advance(SECOND);
        assertThat(passed).startsWith(1, 4, -2);
    }

    @Test
    void removesAWaiterWhoseTimeRanOutWhileItWasRefused() {
        WaitQueues lines = new WaitQueues(waiter -> {});
        Ask ask = Ask.charging(List.of(Demand.of(TWO, "k", 1)));
        Waiter<Decision> waiter = new Waiter<>(lines.nextTicket(), ask, 0, 1, decision -> decision);
        assertThat(lines.timeUp(waiter)).isFalse();
        assertThat(lines.keep(waiter, waiter.counts().get(0), lines.stamp())).isFalse();
        assertThat(lines.size()).isZero();
    }

    @Test
    void doesNotMissAReleaseThatComesWhileItIsRefused() {
        Hold hold = limiter.hold(TWO, "k", 2);
        engine.beforeAnswer = hold::close;
        assertThat(limiter.acquireAsync(TWO, "k", 1, SECOND)).isCompletedWithValueMatching(Decision::allowed);
        assertThat(engine.asked).isEqualTo(3);
    }

    @Test
    void doesNotMissAReleaseThatComesWhileTheFirstAsksAgain() {
        Hold one = limiter.hold(TWO, "k", 1);
        Hold other = limiter.hold(TWO, "k", 1);
        waitFor(1, limiter.acquireAsync(TWO, "k", 2, SECOND));
        engine.beforeAnswer = other::close;
        one.close();
        assertThat(passed).containsExactly(1);
    }

    @Test
    void noticesSoonThatPermitsWereGivenBackElsewhere() {
        Limiter elsewhere = new Limiter(engine, clock, List.of());
        Hold hold = elsewhere.hold(TWO, "k", 2);
        for (int i = 1; i <= 3; i++) {
            waitFor(i, limiter.acquireAsync(TWO, "k", 1, MINUTE.minus(SECOND)));
        }
        clock.advance(Duration.ofMillis(20));
        hold.close();
        assertThat(passed).isEmpty();
        clock.advance(Duration.ofMillis(30));
        assertThat(passed).containsExactly(1, 2);

        Hold later = elsewhere.hold(TWO, "late", 2);
        waitFor(4, limiter.acquireAsync(TWO, "late", 1, MINUTE.minus(SECOND)));
        clock.advance(SECOND.multipliedBy(20));
        later.close();
        clock.advance(Duration.ofMillis(250));
        assertThat(passed).containsExactly(1, 2, 4);
        clock.advance(MINUTE);
    }

    @Test
    void asksForPermitsThatOthersHoldAtAModestPace() {
        Limiter elsewhere = new Limiter(engine, clock, List.of());
        elsewhere.decide(TWO, "k", 2);
        engine.asked = 0;
        for (int i = 0; i < 100; i++) {
            waitFor(i, limiter.acquireAsync(TWO, "k", 1, SECOND.multipliedBy(10)));
        }
        List<Integer> asked = new ArrayList<>();
        for (int i = 0; i < 5; i++) {
            asked.add(engine.asked);
            clock.advance(
                    Duration.ofMillis(50).multipliedBy(List.of(1, 2, 4, 5, 5).get(i)));
        }
        assertThat(asked).containsExactly(1, 2, 3, 4, 5);
        clock.advance(SECOND.multipliedBy(8));
        assertThat(engine.asked).isEqualTo(6 + 32);
        clock.advance(SECOND);
        clock.advance(SECOND);
        assertThat(passed).hasSize(100).noneMatch(i -> i > 0);
    }

    @Test
    void doesNotPollForPermitsBeforeItsOtherLimitsLetIt() {
        Limiter elsewhere = new Limiter(engine, clock, List.of());
        Hold hold = elsewhere.hold(TWO, "shared", 2);
        limiter.decide(WINDOW, "ann", 2);
        engine.asked = 0;
        waitFor(1, limiter.acquireAsync(demands("ann"), SECOND.multipliedBy(10)));
        hold.close();
        clock.advance(SECOND.minus(MICRO));
        assertThat(engine.asked).isEqualTo(1);
        clock.advance(MICRO);
        assertThat(passed).containsExactly(1);
    }

    @Test
    void doesNotAskBeforeItsTimeIsUpIfThatComesFirst() {
        Limiter elsewhere = new Limiter(engine, clock, List.of());
        Hold hold = elsewhere.hold(TWO, "k", 2);
        waitFor(1, limiter.acquireAsync(TWO, "k", 1, Duration.ofMillis(30)));
        waitFor(2, limiter.acquireAsync(TWO, "k", 1, Duration.ofMillis(40)));
        clock.advance(Duration.ofMillis(30));
        assertThat(passed).containsExactly(-1);
        hold.close();
        clock.advance(Duration.ofMillis(10));
        assertThat(passed).containsExactly(-1, 2);
    }

    @Test
    void doesNotPollIfAllPermitsComeBackThroughIt() {
        AtomicInteger alarms = new AtomicInteger();
        Limiter alone = new Limiter(new LocalEngine(clock), watched(alarms::incrementAndGet), List.of());
        Hold hold = alone.hold(TWO, "k", 2);
        waitFor(1, alone.acquireAsync(TWO, "k", 1, SECOND));
        int before = alarms.get();
        clock.advance(SECOND.minus(MICRO));
        assertThat(alarms).hasValue(before);
        hold.close();
        assertThat(passed).containsExactly(1);
    }

    @Test
    void thousandsThatWakeEachOtherNeedNoDeepStack() {
        Hold hold = limiter.hold(TWO, "k", 2);
        List<CompletableFuture<Void>> waits = new ArrayList<>();
        for (int i = 0; i < 10_000; i++) {
            waits.add(limiter.holdAsync(TWO, "k", 2, SECOND).thenAccept(Hold::close));
        }
        hold.close();
        assertThat(waits).allMatch(CompletableFuture::isDone);
        assertThat(waits).noneMatch(CompletableFuture::isCompletedExceptionally);
    }

    @Test
    void needsNoThreadForAWaiter() {
        limiter.hold(TWO, "k", 2);
        limiter.decide(BUCKET, "k", 1);
        int before = Thread.activeCount();
        List<CompletableFuture<Decision>> waits = new ArrayList<>();
        for (int i = 0; i < 10_000; i++) {
            waits.add(limiter.acquireAsync(i % 2 == 0 ? TWO : BUCKET, "k", 1, Duration.ofMinutes(20)));
        }
        assertThat(Thread.activeCount()).isEqualTo(before);
        assertThat(limiter.lines().waiting()).isEqualTo(5_000);
        waits.forEach(wait -> wait.cancel(false));
    }

    @Test
    void leavesNothingBehindForManyKeys() {
        for (int i = 0; i < 10_000; i++) {
            limiter.decide(WINDOW, "k" + i, 2);
            waitFor(i, limiter.acquireAsync(WINDOW, "k" + i, 1, i % 2 == 0 ? SECOND : MINUTE));
        }
        assertThat(limiter.lines().size()).isEqualTo(10_000);
        clock.advance(SECOND);
        assertThat(passed).hasSize(10_000).allMatch(i -> i >= 0);
    }

    @Test
    void answersWaitingCallersWhenItIsClosed() {
        limiter.hold(TWO, "k", 2);
        for (int i = 1; i <= 3; i++) {
            waitFor(i, limiter.acquireAsync(TWO, "k", 1, MINUTE));
        }
        limiter.close();
        assertThat(passed).containsExactly(-1, -2, -3);
    }

    @Test
    void answersACallerThatIsAboutToWaitWhenItIsClosed() {
        AtomicReference<Runnable> beforeAlarm = new AtomicReference<>(() -> {});
        Clock watched = watched(() -> beforeAlarm.getAndSet(() -> {}).run());
        Limiter closing = new Limiter(new LocalEngine(watched), watched, List.of());
        closing.decide(LOG, "k", 2);
        beforeAlarm.set(closing::close);
        waitFor(1, closing.acquireAsync(LOG, "k", 1, MINUTE));
        assertThat(passed).containsExactly(-1);
        assertThat(closing.lines().waiting()).isZero();
    }

    @Test
    void refusesInvalidWaits() {
        assertThatThrownBy(() -> limiter.acquireAsync(TWO, "k", 1, Duration.ofNanos(-1)))
                .hasMessage("maxWait: PT-0.000000001S (expected: PT0S to PT24000H)");
        assertThatThrownBy(() -> limiter.acquireAsync(TWO, "k", 1, Duration.ofSeconds(Long.MAX_VALUE)))
                .hasMessageContaining("expected: PT0S to PT24000H");
        Ask look = Ask.charging(List.of(Demand.of(TWO, "k", 1))).looking();
        assertThatThrownBy(() -> limiter.acquireAsync(look, SECOND)).hasMessage("purpose: LOOK (expected: CHARGE)");
    }

    /** Returns the clock, with an action that runs before an alarm is set. */
    private Clock watched(Runnable beforeAlarm) {
        return new Clock() {
            @Override
            public long nanoTime() {
                return clock.nanoTime();
            }

            @Override
            public long epochMicros() {
                return clock.epochMicros();
            }

            @Override
            public Alarm at(long atNanos, Runnable task) {
                beforeAlarm.run();
                return clock.at(atNanos, task);
            }
        };
    }

    private static List<Demand> demands(String user) {
        return List.of(Demand.of(TWO, "shared", 1), Demand.of(WINDOW, user, 1));
    }

    /** Records who passes, and who is refused as a negative number. */
    private void waitFor(int who, CompletionStage<Decision> wait) {
        wait.thenAccept(decision -> passed.add(decision.allowed() ? who : -who));
    }

    /** A local engine that counts its asks, and that the limiter does not recognise as answering at once. */
    private static final class CountingEngine implements Engine {

        private final LocalEngine local;
        private final List<Charge> givenBack = new ArrayList<>();
        private Runnable beforeAnswer = () -> {};
        private int asked;

        CountingEngine(LocalEngine local) {
            this.local = local;
        }

        @Override
        public String name() {
            return "counting";
        }

        @Override
        public Answer decide(Ask ask) {
            asked++;
            Answer answer = local.decide(ask);
            Runnable before = beforeAnswer;
            beforeAnswer = () -> {};
            before.run();
            return answer;
        }

        @Override
        public CompletionStage<Boolean> giveBack(List<Charge> charges) {
            givenBack.addAll(charges);
            return local.giveBack(charges);
        }

        @Override
        public CompletionStage<Boolean> renew(Charge charge) {
            return local.renew(charge);
        }

        @Override
        public void close() {
            local.close();
        }
    }
}
