package io.sluice.redis.internal.lease;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.core.decorator.FallbackEngine;
import io.sluice.core.history.HistoryListener;
import io.sluice.core.limit.Limit;
import io.sluice.core.limit.Rate;
import io.sluice.core.local.LocalEngine;
import io.sluice.core.spi.Answer;
import io.sluice.core.spi.Ask;
import io.sluice.core.spi.Charge;
import io.sluice.core.spi.Demand;
import io.sluice.core.spi.Engine;
import io.sluice.core.spi.EngineDecision;
import io.sluice.core.spi.EngineFailure;
import io.sluice.core.spi.FailurePolicy;
import io.sluice.core.spi.LeasePolicy;
import io.sluice.core.spi.Outcome;
import io.sluice.core.spi.PendingOutcome;
import io.sluice.core.spi.Verdict;
import io.sluice.core.time.ManualClock;
import io.sluice.redis.internal.lease.LeaseModel.Mood;
import io.sluice.redis.internal.link.RedisOptions;
import io.sluice.redis.internal.recording.LeaseRecorder;
import io.sluice.redis.internal.wire.EndedLease;
import io.sluice.redis.internal.wire.LeaseRequest;
import io.sluice.redis.internal.wire.RedisKeys;
import io.sluice.testkit.QuietClock;
import io.sluice.testkit.SeededRandom;
import io.sluice.testkit.SilencedLog;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class LeasesTest {

    @RegisterExtension
    static final SilencedLog PROVOKED = SilencedLog.of(HistoryListener.class);

    private static final LeasePolicy TENTH = new LeasePolicy(0, 0.1, 1_000_000);
    private static final LeasePolicy ALL = new LeasePolicy(0, 1, 1_000_000);
    private static final Limit DAILY = Limit.named("daily").fixedWindow(10_000, Duration.ofDays(1));
    private static final Duration SWEEP = LeaseSweep.PERIOD;

    private final ManualClock clock = QuietClock.at(1_700_006_400_000_000L);
    private final LeaseModel model = new LeaseModel(clock::epochMicros, Runnable::run);
    private final Engine behind = model.engine();
    private final Leases leases = node();

    private Leases node() {
        return Leases.over(behind, model, clock, LeaseListener.NONE, 1_000, new OnTheSpot());
    }

    static List<Limit> leasable() {
        Limit.Named named = Limit.named("any");
        return List.of(
                named.tokenBucket(Rate.perSecond(10_000)),
                named.leakyBucket(Rate.perSecond(10_000)),
                named.fixedWindow(10_000, Duration.ofDays(1)),
                named.slidingWindow(10_000, Duration.ofDays(1)));
    }

    static List<Limit> neverLeased() {
        Limit.Named named = Limit.named("never");
        return List.of(
                named.slidingLog(10_000, Duration.ofSeconds(1)),
                named.concurrency(10_000, Duration.ofSeconds(1)),
                named.fixedWindow(9, Duration.ofSeconds(1)),
                named.fixedWindow(0, Duration.ofSeconds(1)),
                named.tokenBucket(Rate.perSecond(0)).withBurst(1_000));
    }

    @Test
    void coldKeysAreDecidedInTheStore() {
        for (int i = 0; i < 50; i++) {
            assertThat(decide(DAILY, 1).allowed()).isTrue();
            clock.advance(Duration.ofMillis(60));
        }
        assertThat(model.asks).hasSize(50);
        assertThat(model.requests).isEmpty();
    }

    @ParameterizedTest
    @MethodSource("leasable")
    void busyKeysAreDecidedHere(Limit limit) {
        warm(limit);
        long calls = model.calls;
        for (int i = 0; i < 5; i++) {
            assertThat(decide(limit, 1).allowed()).isTrue();
        }
        assertThat(model.calls).isEqualTo(calls);
    }

    @ParameterizedTest
    @MethodSource("neverLeased")
    void someLimitsAreNeverLeased(Limit limit) {
        for (int i = 0; i < 100; i++) {
            outcome(leases.decide(ask(Demand.of(limit, "k", 1).leasedBy(TENTH))));
        }
        assertThat(model.requests).isEmpty();
        assertThat(model.asks).hasSize(100);
        assertThat(leases.keys()).isZero();
    }

    @Test
    void demandsWithoutALeasePolicyAreNotLeased() {
        for (int i = 0; i < 100; i++) {
            outcome(leases.decide(ask(Demand.of(DAILY, "k", 1))));
        }
        assertThat(model.requests).isEmpty();
    }

    @Test
    void looksPassThrough() {
        warm(DAILY);
        int asks = model.asks.size();
        assertThat(((EngineDecision) leases.decide(one(DAILY, 1).looking())).allowed())
                .isTrue();
        assertThat(model.asks).hasSize(asks + 1);
    }

    @Test
    void takesNoMoreThanTwiceWhatWasAskedFor() {
        warm(DAILY);
        assertThat(model.requests.get(0).wanted()).isEqualTo(16);
        assertThat(model.requests.get(0).atLeast()).isEqualTo(1);
    }

    @Test
    void aLeaseLastsForAboutAHundredMilliseconds() {
        run(DAILY, 1_000, Duration.ofMillis(1));
        assertThat(model.requests.get(model.requests.size() - 1).wanted()).isBetween(80L, 120L);
    }

    @Test
    void aFixedSizeIsWhatIsAskedFor() {
        LeasePolicy fixed = new LeasePolicy(30, 0.1, 1_000_000);
        for (int i = 0; i < 100; i++) {
            outcome(leases.decide(ask(Demand.of(DAILY, "k", 1).leasedBy(fixed))));
        }
        assertThat(model.requests).isNotEmpty().allSatisfy(request -> assertThat(request.wanted())
                .isEqualTo(30));
    }

    @Test
    void asksForNoMoreThanTheShare() {
        LeasePolicy fixed = new LeasePolicy(5_000, 0.1, 1_000_000);
        for (int i = 0; i < 20; i++) {
            outcome(leases.decide(ask(Demand.of(DAILY, "k", 1).leasedBy(fixed))));
        }
        assertThat(model.requests).hasSize(1);
        assertThat(model.requests.get(0).wanted()).isEqualTo(1_000);
        assertThat(model.requests.get(0).cap()).isEqualTo(1_000);
    }

    @Test
    void noCallerWaitsWhileALeaseIsAtHandAndOneRequestIsUnderWay() {
        warm(DAILY);
        int requests = model.requests.size();
        model.setMood(Mood.LATE);
        for (long left = leases.outstanding(); left > 0; left--) {
            assertThat(leases.decide(one(DAILY, 1))).isInstanceOf(EngineDecision.class);
        }
        assertThat(model.requests).hasSize(requests + 1);
    }

    @Test
    void callersWaitForTheLeaseThatIsUnderWay() {
        warm(DAILY);
        int asks = model.asks.size();
        model.setMood(Mood.LATE);
        spend(DAILY);
        List<CompletableFuture<Outcome>> waiting = new ArrayList<>();
        for (int i = 0; i < 10; i++) {
            waiting.add(pending(leases.decide(one(DAILY, 1))));
        }
        model.deliver();
        assertThat(waiting).allSatisfy(each -> assertThat(((EngineDecision) each.join()).allowed())
                .isTrue());
        assertThat(model.asks).hasSize(asks);
    }

    @Test
    void noMoreCallersWaitThanTheLeaseCanServe() {
        model.setMood(Mood.LATE);
        for (int i = 0; i < 100; i++) {
            outcomeOrNull(leases.decide(one(DAILY, 1)));
        }
        assertThat(model.requests).hasSize(1);
        assertThat(model.asks).hasSize(7 + 100 - 7 - 16);
    }

    @Test
    void callersWhoseDeadlineHasPassedAreNotServed() {
        warm(DAILY);
        model.setMood(Mood.LATE);
        spend(DAILY);
        Ask due = one(DAILY, 1).dueAt(clock.nanoTime() + Duration.ofMillis(20).toNanos());
        CompletableFuture<Outcome> waiting = pending(leases.decide(due));
        clock.advance(Duration.ofMillis(21));
        model.setMood(Mood.ANSWERS);
        model.deliver();
        assertThat(waiting.join()).isEqualTo(new EngineFailure("model-timeout", false));
        long atHand = leases.outstanding();
        assertThat(leases.decide(due)).isInstanceOf(EngineDecision.class);
        assertThat(leases.outstanding())
                .as("the engine behind watches deadlines")
                .isEqualTo(atHand);
    }

    @Test
    void afterARefusalCallersAreRefusedHereForAMoment() {
        Limit quick = Limit.named("quick").tokenBucket(Rate.perSecond(1_000)).withBurst(100);
        exhaust(quick, ALL);
        long calls = model.calls;
        EngineDecision refused = decide(quick, ALL, 1);
        assertThat(refused.allowed()).isFalse();
        assertThat(refused.verdicts().get(0).fits()).isFalse();
        assertThat(refused.verdicts().get(0).retryAfterMicros()).isBetween(1L, 5_000L);
        assertThat(model.calls).isEqualTo(calls);
        clock.advance(Duration.ofMillis(20));
        assertThat(decide(quick, ALL, 1).allowed()).isTrue();
    }

    @Test
    void aRefusalIsNotCachedForLong() {
        exhaust(DAILY, ALL);
        clock.advance(Duration.ofMillis(20));
        assertThat(decide(DAILY, ALL, 1).allowed()).isFalse();
        int requests = model.requests.size();
        clock.advance(Duration.ofMillis(240));
        assertThat(decide(DAILY, ALL, 1).allowed()).isFalse();
        assertThat(model.requests).hasSize(requests);
        behind.giveBack(List.of(new Charge(DAILY, "k", 5, clock.epochMicros(), "")));
        clock.advance(Duration.ofMillis(10));
        assertThat(decide(DAILY, ALL, 1).allowed()).isTrue();
    }

    @Test
    void whatIsGivenBackHereIsNoticedAtOnce() {
        exhaust(DAILY, ALL);
        assertThat(decide(DAILY, ALL, 1).allowed()).isFalse();
        leases.giveBack(List.of(new Charge(DAILY, "k", 5, clock.epochMicros(), "")));
        assertThat(decide(DAILY, ALL, 1).allowed()).isTrue();
    }

    @Test
    void demandsSmallerThanTheRefusedOneAreDecidedInTheStore() {
        Limit ten = Limit.named("ten").fixedWindow(1_000, Duration.ofDays(1));
        outcome(behind.decide(ask(Demand.of(ten, "k", 995))));
        for (int i = 0; i < 20; i++) {
            decide(ten, ALL, 10);
        }
        assertThat(decide(ten, ALL, 10).allowed()).isFalse();
        assertThat(decide(ten, ALL, 1).allowed()).isTrue();
    }

    @Test
    void callersWhoWouldWaitForATokenAreNotRefusedHere() {
        Limit patient =
                Limit.named("patient").tokenBucket(Rate.perSecond(1_000)).withBurst(100);
        exhaust(patient, ALL);
        assertThat(decide(patient, ALL, 1).allowed()).isFalse();
        Demand waits = Demand.of(patient, "k", 1).leasedBy(ALL).waitingUpTo(1_000_000);
        EngineDecision decided = (EngineDecision) leases.decide(ask(waits));
        assertThat(decided.allowed()).isTrue();
        assertThat(decided.verdicts().get(0).waitMicros()).isPositive();
    }

    @Test
    void aRefusalByTheShareRefusesNobody() {
        LeasePolicy fixed = new LeasePolicy(1_000, 0.1, 1_000_000);
        for (int i = 0; i < 30; i++) {
            model.request(new LeaseRequest(DAILY, "k", "other" + i, 1_000, 1, 1_000, 1_000_000, 0, List.of()));
        }
        int requests = model.requests.size();
        for (int i = 0; i < 40; i++) {
            assertThat(outcome(leases.decide(ask(Demand.of(DAILY, "k", 1).leasedBy(fixed)))))
                    .matches(decided -> ((EngineDecision) decided).allowed());
            clock.advance(Duration.ofMillis(1));
        }
        assertThat(model.asks).hasSize(40);
        assertThat(model.requests).as("every 20 ms").hasSizeBetween(requests + 2, requests + 3);
    }

    @Test
    void aLeaseEndsByTheTimeBeforeItWasAskedFor() {
        model.setMood(Mood.LATE);
        for (int i = 0; i < 8; i++) {
            outcomeOrNull(leases.decide(one(DAILY, 1)));
        }
        clock.advance(Duration.ofMillis(900));
        model.deliver();
        assertThat(leases.outstanding()).isPositive();
        clock.advance(Duration.ofMillis(99));
        assertThat(leases.outstanding()).isPositive();
        clock.advance(Duration.ofMillis(1));
        assertThat(leases.outstanding()).isZero();
    }

    @Test
    void anAnswerAfterItsEndIsNotSpent() {
        LeasePolicy brief = new LeasePolicy(0, 0.1, 100_000);
        model.setMood(Mood.LATE);
        List<CompletableFuture<Outcome>> all = new ArrayList<>();
        for (int i = 0; i < 8; i++) {
            all.add(pending(leases.decide(ask(Demand.of(DAILY, "k", 1).leasedBy(brief)))));
        }
        clock.advance(Duration.ofMillis(500));
        model.setMood(Mood.ANSWERS);
        model.deliver();
        assertThat(leases.outstanding()).isZero();
        assertThat(((EngineDecision) all.get(7).join()).allowed())
                .as("decided behind")
                .isTrue();
        clock.advance(SWEEP);
        assertThat(model.ended)
                .containsExactly(new EndedLease(model.requests.get(0).lease(), 0));
        assertThat(model.remaining(DAILY, "k")).isEqualTo(10_000 - 8);
    }

    @Test
    void aLostAnswerIsEndedLater() {
        CompletableFuture<Outcome> waiting = loseAnAnswer(Mood.LOSES_ANSWER);
        assertThat(model.remaining(DAILY, "k")).isEqualTo(10_000 - 7 - 16);
        clock.advance(Duration.ofMillis(1_500));
        assertThat(((EngineDecision) waiting.join()).allowed()).isTrue();
        assertThat(model.ended)
                .extracting(EndedLease::lease)
                .contains(model.requests.get(0).lease());
        assertThat(model.remaining(DAILY, "k")).isEqualTo(10_000 - 8);
    }

    @Test
    void aLostQuestionIsEndedInVain() {
        CompletableFuture<Outcome> waiting = loseAnAnswer(Mood.LOSES_QUESTION);
        clock.advance(Duration.ofMillis(1_500));
        assertThat(((EngineDecision) waiting.join()).allowed()).isTrue();
        assertThat(model.ended).isNotEmpty();
        assertThat(model.remaining(DAILY, "k")).isEqualTo(10_000 - 8);
        assertThat(model.records()).isZero();
    }

    /** The caller that waited for it is decided by the wrapped engine in the end. */
    private CompletableFuture<Outcome> loseAnAnswer(Mood mood) {
        for (int i = 0; i < 7; i++) {
            decide(DAILY, 1);
        }
        model.setMood(mood);
        CompletableFuture<Outcome> waiting = pending(leases.decide(one(DAILY, 1)));
        assertThat(model.requests).hasSize(1);
        model.setMood(Mood.ANSWERS);
        return waiting;
    }

    @Test
    void aGrantThatComesAfterItWasGivenUpIsEnded() {
        model.setMood(Mood.LATE);
        for (int i = 0; i < 8; i++) {
            outcomeOrNull(leases.decide(one(DAILY, 1)));
        }
        model.setMood(Mood.LOSES_QUESTION);
        clock.advance(Duration.ofMillis(1_300));
        assertThat(model.records()).isEqualTo(1);
        model.setMood(Mood.ANSWERS);
        model.deliver();
        clock.advance(Duration.ofMillis(1_100));
        assertThat(leases.outstanding()).isZero();
        assertThat(model.records()).isZero();
    }

    @Test
    void endsThatMayBeLostAreReportedAgainButNotForever() {
        warm(DAILY);
        model.setMood(Mood.FAILS);
        clock.advance(Duration.ofMillis(1_300));
        long failed = model.calls;
        model.setMood(Mood.ANSWERS);
        clock.advance(Duration.ofMillis(1_100));
        assertThat(model.records()).isZero();

        warm(DAILY);
        model.setMood(Mood.FAILS);
        long before = model.calls;
        clock.advance(Duration.ofSeconds(60));
        assertThat(failed).isPositive();
        assertThat(model.calls - before).isEqualTo(5);
        assertThat(leases.keys()).isZero();
    }

    @Test
    void idleLeasesGoBack() {
        warm(DAILY);
        decide(DAILY, 1);
        decide(DAILY, 1);
        clock.advance(Duration.ofMillis(199));
        assertThat(leases.outstanding()).isPositive();
        clock.advance(Duration.ofMillis(101));
        assertThat(leases.outstanding()).isZero();
        assertThat(model.records()).isZero();
        assertThat(model.remaining(DAILY, "k")).isEqualTo(10_000 - 10);
    }

    @Test
    void aLeaseThatIsOverGoesBackAsFarAsItWasNotSpent() {
        LeasePolicy brief = new LeasePolicy(100, 0.1, 60_000);
        for (int i = 0; i < 8; i++) {
            outcome(leases.decide(ask(Demand.of(DAILY, "k", 1).leasedBy(brief))));
        }
        assertThat(leases.outstanding()).isEqualTo(99);
        clock.advance(Duration.ofMillis(60));
        assertThat(leases.outstanding()).isZero();
        clock.advance(Duration.ofMillis(100));
        assertThat(model.ended)
                .containsExactly(new EndedLease(model.requests.get(0).lease(), 1));
        assertThat(model.remaining(DAILY, "k")).isEqualTo(10_000 - 8);
    }

    @Test
    void leasesOfOtherNumbersGoBackAfterAChangeOfRules() {
        warm(DAILY);
        Limit changed = Limit.named("daily").fixedWindow(500, Duration.ofDays(1));
        for (int i = 0; i < 400; i++) {
            decide(changed, 1);
            clock.advance(Duration.ofMillis(1));
        }
        assertThat(model.ended)
                .extracting(EndedLease::lease)
                .contains(model.requests.get(0).lease());
        clock.advance(Duration.ofSeconds(1));
        assertThat(model.remaining(DAILY, "k")).isEqualTo(10_000 - 408);
    }

    @Test
    void aChangeOfRulesWithARequestUnderWayLosesNothing() {
        model.setMood(Mood.LATE);
        for (int i = 0; i < 8; i++) {
            outcomeOrNull(leases.decide(one(DAILY, 1)));
        }
        Limit changed = Limit.named("daily").fixedWindow(500, Duration.ofDays(1));
        for (int i = 0; i < 8; i++) {
            outcomeOrNull(leases.decide(one(changed, 1)));
        }
        model.setMood(Mood.ANSWERS);
        model.deliverReversed();
        clock.advance(Duration.ofSeconds(1));
        assertThat(model.records()).isZero();
        assertThat(model.remaining(DAILY, "k")).isEqualTo(10_000 - 16);
    }

    @Test
    void closeEndsAllLeases() {
        warm(DAILY);
        decide(DAILY, 1);
        leases.close();
        assertThat(model.records()).isZero();
        assertThat(model.remaining(DAILY, "k")).isEqualTo(10_000 - 9);
        assertThat(leases.outstanding()).isZero();
        assertThat(leases.decide(one(DAILY, 1))).isEqualTo(new EngineFailure("closed", false));
        leases.close();
    }

    @Test
    void closeWithARequestUnderWayDoesNotHangAndEndsItWhenItIsAnswered() {
        model.setMood(Mood.LATE);
        List<CompletableFuture<Outcome>> all = new ArrayList<>();
        for (int i = 0; i < 8; i++) {
            all.add(pending(leases.decide(one(DAILY, 1))));
        }
        leases.close();
        model.setMood(Mood.ANSWERS);
        model.deliver();
        assertThat(all.get(7).getNow(null)).as("decided behind").isInstanceOf(EngineDecision.class);
        assertThat(model.records()).isZero();
        assertThat(leases.outstanding()).isZero();
    }

    @Test
    void closeEndsWhatIsGrantedWhileItWaits() throws Exception {
        model.setMood(Mood.LATE);
        for (int i = 0; i < 8; i++) {
            outcomeOrNull(leases.decide(one(DAILY, 1)));
        }
        model.setMood(Mood.ANSWERS);
        Thread closing = new Thread(leases::close);
        closing.start();
        while (closing.isAlive() && closing.getState() != Thread.State.TIMED_WAITING) {
            Thread.onSpinWait();
        }
        model.deliver();
        closing.join();
        assertThat(model.records()).isZero();
    }

    @Test
    void whatIsGivenBackGoesIntoTheLeaseWhileItIsOpen() {
        warm(DAILY);
        Ask three = one(DAILY, 3);
        EngineDecision decided = (EngineDecision) leases.decide(three);
        long atHand = leases.outstanding();
        long calls = model.calls;
        leases.giveBack(decided.charges(three));
        assertThat(leases.outstanding()).isEqualTo(atHand + 3);
        assertThat(model.calls).isEqualTo(calls);
        clock.advance(Duration.ofSeconds(1));
        assertThat(model.remaining(DAILY, "k")).isEqualTo(10_000 - 8);
    }

    @Test
    void whatIsGivenBackAfterItsLeaseWasEndedGoesToTheStoreOnce() {
        warm(DAILY);
        Ask three = one(DAILY, 3);
        EngineDecision decided = (EngineDecision) leases.decide(three);
        clock.advance(Duration.ofSeconds(1));
        assertThat(model.remaining(DAILY, "k")).isEqualTo(10_000 - 11);
        leases.giveBack(decided.charges(three));
        assertThat(model.remaining(DAILY, "k")).isEqualTo(10_000 - 8);
    }

    @Test
    void moreThanALeaseCanHoldIsDecidedInTheStore() {
        warm(DAILY);
        int asks = model.asks.size();
        assertThat(decide(DAILY, 900).allowed()).isTrue();
        assertThat(decide(DAILY, 1_001).allowed()).isTrue();
        assertThat(model.asks).hasSize(asks + 2);
        assertThat(decide(DAILY, 10_001).verdicts().get(0).retryAfterMicros()).isEqualTo(Verdict.NEVER);
    }

    @Test
    void callersThatAcceptLessGetWhatIsLeft() {
        exhaust(DAILY, ALL);
        leases.giveBack(List.of());
        Limit other = Limit.named("other").fixedWindow(1_000, Duration.ofDays(1));
        outcome(behind.decide(ask(Demand.of(other, "k", 980))));
        while (model.remaining(other, "k") > 0) {
            decide(other, ALL, 1);
        }
        long atHand = leases.outstanding();
        assertThat(atHand).isPositive();
        Demand most = Demand.of(other, "k", atHand + 5).orAtLeast(1).leasedBy(ALL);
        EngineDecision decided = (EngineDecision) leases.decide(ask(most));
        assertThat(decided.allowed()).isTrue();
        assertThat(decided.verdicts().get(0).granted()).isEqualTo(atHand);
    }

    @Test
    void whileTheStoreFailsLeasesAreSpentAndThenTheEngineBehindIsAsked() {
        warm(DAILY);
        model.setMood(Mood.FAILS);
        for (long left = leases.outstanding(); left > 0; left--) {
            assertThat(decide(DAILY, 1).allowed()).isTrue();
        }
        assertThat(outcome(leases.decide(one(DAILY, 1)))).isEqualTo(new EngineFailure("model-fails", false));
        int requests = model.requests.size();
        for (int i = 0; i < 99; i++) {
            clock.advance(Duration.ofMillis(1));
            assertThat(outcome(leases.decide(one(DAILY, 1)))).isInstanceOf(EngineFailure.class);
        }
        assertThat(model.requests.size() - requests).isLessThanOrEqualTo(1);
        model.setMood(Mood.ANSWERS);
        clock.advance(Duration.ofMillis(100));
        run(DAILY, 50, Duration.ofMillis(1));
        assertThat(leases.outstanding()).isPositive();
        leases.close();
        assertThat(model.records()).isZero();
    }

    @Test
    void aClockThatStandsStillDoesNotKeepItFromAsking() {
        for (int i = 0; i < 9_000; i++) {
            assertThat(decide(DAILY, 1).allowed()).isTrue();
        }
        assertThat(model.calls).isLessThan(200);
    }

    @Test
    void hugeNumbersDoNoHarm() {
        Limit huge =
                Limit.named("huge").tokenBucket(Rate.perSecond(1_000_000_000)).withBurst(Limit.MAX_CAPACITY);
        for (int i = 0; i < 500; i++) {
            assertThat(decide(huge, ALL, Limit.MAX_PERMITS).verdicts().get(0).granted())
                    .isEqualTo(Limit.MAX_PERMITS);
        }
        for (int i = 0; i < 500; i++) {
            assertThat(decide(huge, ALL, 1_000_000).allowed()).isTrue();
        }
        leases.close();
        assertThat(model.records()).isZero();
    }

    @Test
    void aFloodOfKeysTakesNoMemoryAndNoLeaseFromOthers() {
        Leases flooded = Leases.over(
                LocalEngine.builder().clock(clock).maxKeys(1_000).build(),
                model,
                clock,
                LeaseListener.NONE,
                1_000,
                new OnTheSpot());
        for (int i = 0; i < 8; i++) {
            outcome(flooded.decide(one(DAILY, 1)));
        }
        long atHand = flooded.outstanding();
        int flood = SeededRandom.scaled(50_000, 1_000_000);
        for (int i = 0; i < flood; i++) {
            outcome(flooded.decide(ask(Demand.of(DAILY, "k" + i, 1).leasedBy(ALL))));
            if (i % (flood / 10) == 0) {
                assertThat(flooded.keys()).isLessThanOrEqualTo(1_000);
                assertThat(((EngineDecision) outcome(flooded.decide(one(DAILY, 1)))).allowed())
                        .isTrue();
            }
        }
        assertThat(flooded.outstanding()).isEqualTo(atHand - 10);
        clock.advance(Duration.ofSeconds(3));
        assertThat(flooded.keys()).isZero();
        outcome(flooded.decide(ask(Demand.of(DAILY, "x".repeat(10_000), 1).leasedBy(TENTH))));
        assertThat(flooded.keys()).as("keys that are too long").isZero();
    }

    @Test
    void remainingIsWhatIsHeldPlusWhatTheStoreHadLeft() {
        warm(DAILY);
        long last = 10_000;
        long lastMicros = 0;
        for (int i = 0; i < 500; i++) {
            EngineDecision decided = decide(DAILY, 1);
            Verdict verdict = decided.verdicts().get(0);
            assertThat(verdict.remaining()).isLessThanOrEqualTo(last).isEqualTo(10_000 - 9 - i);
            assertThat(verdict.resetAfterMicros()).isPositive().isLessThanOrEqualTo(86_400_000_000L);
            assertThat(decided.atMicros()).isGreaterThanOrEqualTo(lastMicros).isLessThanOrEqualTo(clock.epochMicros());
            last = verdict.remaining();
            lastMicros = decided.atMicros();
            clock.advance(Duration.ofMillis(1));
        }
    }

    @Test
    void slotsOfALeaseFollowEachOtherAtTheRate() {
        Limit paced = Limit.named("paced").leakyBucket(Rate.perSecond(100)).withCapacity(1_000);
        List<Long> slots = new ArrayList<>();
        for (int i = 0; i < 60; i++) {
            slots.add(decide(paced, ALL, 1).verdicts().get(0).waitMicros());
        }
        for (int i = 0; i < 60; i++) {
            assertThat(slots.get(i)).isEqualTo(i * 10_000L);
        }
    }

    @Test
    void aSlotThatHasPassedIsNotWaitedFor() {
        Limit paced = Limit.named("paced").leakyBucket(Rate.perSecond(100)).withCapacity(1_000);
        for (int i = 0; i < 9; i++) {
            decide(paced, ALL, 1);
        }
        clock.advance(Duration.ofMillis(105));
        assertThat(decide(paced, ALL, 1).verdicts().get(0).waitMicros()).isZero();
    }

    @Test
    void callersThatWillNotWaitForTheirSlotAreRefused() {
        Limit paced = Limit.named("paced").leakyBucket(Rate.perSecond(100)).withCapacity(1_000);
        for (int i = 0; i < 9; i++) {
            decide(paced, ALL, 1);
        }
        long calls = model.calls;
        Demand hasty = Demand.of(paced, "k", 1).leasedBy(ALL).waitingUpTo(50_000);
        EngineDecision refused = (EngineDecision) leases.decide(ask(hasty));
        assertThat(refused.allowed()).isFalse();
        assertThat(refused.verdicts().get(0).retryAfterMicros()).isEqualTo(40_000);
        assertThat(model.calls).isEqualTo(calls);
        clock.advance(Duration.ofMillis(40));
        assertThat(((EngineDecision) leases.decide(ask(hasty)))
                        .verdicts()
                        .get(0)
                        .waitMicros())
                .isEqualTo(50_000);
    }

    @Test
    void aCrashLosesWhatWasLeasedAndGrantsItToNobodyElse() {
        warm(DAILY);
        long lost = leases.outstanding();
        Leases other = node();
        long admitted = 0;
        for (int i = 0; i < 12_000; i++) {
            Outcome outcome = outcome(other.decide(one(DAILY, 1)));
            admitted += ((EngineDecision) outcome).allowed() ? 1 : 0;
        }
        assertThat(admitted + 8 + lost).isEqualTo(10_000);
    }

    @Test
    void outstandingLeasesNeverExceedTheShare() {
        List<Leases> nodes = new ArrayList<>();
        for (int i = 0; i < 40; i++) {
            nodes.add(node());
        }
        long most = 0;
        for (int i = 0; i < 8_000; i++) {
            outcome(nodes.get(i % 40).decide(one(DAILY, 1)));
            most = Math.max(most, model.outstanding(DAILY, "k"));
            if (i % 20 == 0) {
                clock.advance(Duration.ofMillis(1));
            }
        }
        assertThat(most).isBetween(100L, 1_000L);
    }

    // Several limits.

    private static final Limit GLOBAL = Limit.named("global").fixedWindow(100_000, Duration.ofDays(1));
    private static final Limit RARE = Limit.named("rare").slidingLog(2, Duration.ofDays(1));

    @Test
    void severalLeasedLimitsAreDecidedHere() {
        warmBoth();
        long calls = model.calls;
        EngineDecision decided = (EngineDecision) leases.decide(both(DAILY, GLOBAL));
        assertThat(decided.allowed()).isTrue();
        assertThat(decided.verdicts()).extracting(Verdict::granted).containsExactly(1L, 1L);
        assertThat(model.calls).isEqualTo(calls);
    }

    @Test
    void onlyDemandsWithoutHeldPermitsGoToTheStore() {
        warm(DAILY);
        EngineDecision decided = (EngineDecision) leases.decide(both(RARE, DAILY));
        assertThat(decided.allowed()).isTrue();
        assertThat(model.asks.get(model.asks.size() - 1).demands())
                .extracting(demand -> demand.limit().name())
                .containsExactly("rare");
        assertThat(decided.verdicts()).extracting(Verdict::remaining).containsExactly(1L, 10_000L - 9);
    }

    @Test
    void whatWasTakenIsPutBackIfAnotherLimitRefuses() {
        warm(DAILY);
        outcome(behind.decide(ask(Demand.of(RARE, "k", 2))));
        long atHand = leases.outstanding();
        EngineDecision decided = (EngineDecision) leases.decide(both(DAILY, RARE));
        assertThat(decided.allowed()).isFalse();
        assertThat(decided.verdicts()).extracting(Verdict::fits).containsExactly(true, false);
        assertThat(decided.verdicts()).extracting(Verdict::granted).containsExactly(0L, 0L);
        assertThat(leases.outstanding()).isEqualTo(atHand);
    }

    @Test
    void whatWasTakenIsPutBackIfTheOthersAreUndecided() {
        warm(DAILY);
        long atHand = leases.outstanding();
        model.setMood(Mood.FAILS);
        assertThat(leases.decide(both(DAILY, RARE))).isEqualTo(new EngineFailure("model-fails", false));
        assertThat(leases.outstanding()).isEqualTo(atHand);
    }

    @Test
    void aLimitThatIsKnownToRefuseIsNotAskedAgain() {
        warm(GLOBAL);
        exhaust(DAILY, ALL);
        decide(DAILY, ALL, 1);
        long calls = model.calls;
        long atHand = leases.outstanding();
        EngineDecision decided = (EngineDecision) leases.decide(both(GLOBAL, DAILY));
        assertThat(decided.allowed()).isFalse();
        assertThat(decided.verdicts()).extracting(Verdict::fits).containsExactly(true, false);
        assertThat(model.calls).isEqualTo(calls);
        assertThat(leases.outstanding()).isEqualTo(atHand);
    }

    @Test
    void aLateAnswerOfTheOthersIsGivenBackByTheFallbackWhole() {
        FallbackEngine front = new FallbackEngine(leases, clock);
        warm(DAILY);
        long spent = 10_000 - model.remaining(DAILY, "k") - leases.outstanding();
        model.setMood(Mood.LATE);
        Ask due = both(DAILY, RARE)
                .dueAt(clock.nanoTime() + Duration.ofMillis(20).toNanos())
                .onFailure(FailurePolicy.CLOSED, 0.5);
        CompletableFuture<Outcome> told = pending(front.decide(due));
        clock.advance(Duration.ofMillis(20));
        assertThat(((EngineDecision) told.join()).allowed()).isFalse();
        model.setMood(Mood.ANSWERS);
        model.deliver();
        assertThat(model.remaining(RARE, "k")).isEqualTo(2);
        clock.advance(Duration.ofSeconds(1));
        assertThat(model.remaining(DAILY, "k")).isEqualTo(10_000 - spent);
    }

    @Test
    void aLateAnswerAfterTheLeaseWasEndedIsGivenBackOnce() {
        FallbackEngine front = new FallbackEngine(leases, clock);
        warm(DAILY);
        model.setMood(Mood.LATE);
        Ask due = both(DAILY, RARE)
                .dueAt(clock.nanoTime() + Duration.ofMillis(20).toNanos())
                .onFailure(FailurePolicy.CLOSED, 0.5);
        CompletableFuture<Outcome> told = pending(front.decide(due));
        clock.advance(Duration.ofSeconds(2));
        assertThat(((EngineDecision) told.join()).allowed()).isFalse();
        model.setMood(Mood.ANSWERS);
        model.deliver();
        clock.advance(Duration.ofSeconds(2));
        assertThat(model.records()).isZero();
        assertThat(model.remaining(DAILY, "k")).isEqualTo(10_000 - 8);
    }

    @Test
    void anAskThatIsRefusedNamesTheLimitThatRefusesWhateverIsHeardMeanwhile() {
        List<Runnable> meanwhile = new ArrayList<>();
        LeaseListener listener = new LeaseListener() {
            @Override
            public void unspent(
                    String ask, Limit limit, String key, String lease, long permits, long nowNanos, long endsNanos) {
                meanwhile.forEach(Runnable::run);
            }
        };
        try (Leases node = Leases.over(behind, model, clock, listener, 1_000, new OnTheSpot())) {
            for (int i = 0; i < 20; i++) {
                outcome(node.decide(one(GLOBAL, 1)));
            }
            Ask daily = ask(Demand.of(DAILY, "k", 1).leasedBy(ALL));
            EngineDecision last = (EngineDecision) outcome(node.decide(daily));
            EngineDecision allowed = last;
            for (int i = 0; i < 20_000 && last.allowed(); i++) {
                allowed = last;
                last = (EngineDecision) outcome(node.decide(daily));
            }
            Charge charge = new Charge(DAILY, "k", 1, 0, "");
            meanwhile.add(() -> node.giveBack(List.of(charge)));
            EngineDecision decided = (EngineDecision) node.decide(both(GLOBAL, DAILY));
            assertThat(allowed.allowed()).isTrue();
            assertThat(decided.allowed()).isFalse();
            assertThat(decided.verdicts()).extracting(Verdict::fits).containsExactly(true, false);
        }
    }

    @Test
    void aFailingHistoryDoesNotAffectDecisions() {
        RedisOptions options = RedisOptions.defaults().recording(event -> {
            throw new IllegalStateException("planted");
        });
        LeaseListener recorder =
                new LeaseRecorder(Objects.requireNonNull(options.recording()), new RedisKeys("p"), clock);
        try (Leases node = Leases.over(behind, model, clock, recorder, 1_000, new OnTheSpot())) {
            for (int i = 0; i < 100; i++) {
                assertThat(((EngineDecision) outcome(node.decide(one(DAILY, 1)))).allowed())
                        .isTrue();
                clock.advance(Duration.ofMillis(1));
            }
            assertThat(model.remaining(DAILY, "k") + node.outstanding()).isEqualTo(10_000 - 100);
        }
    }

    @Test
    void waitingCallersAreAnsweredEvenIfServingAnotherFails() {
        LeaseListener failing = new LeaseListener() {
            @Override
            public void answered(Ask ask, EngineDecision decided) {
                throw new IllegalStateException("planted");
            }
        };
        try (Leases node = Leases.over(behind, model, clock, failing, 1_000, new OnTheSpot())) {
            List<CompletableFuture<Outcome>> waiting = new ArrayList<>();
            model.setMood(Mood.LATE);
            for (int i = 0; i < 16; i++) {
                waiting.add(pending(node.decide(one(DAILY, 1))));
            }
            model.setMood(Mood.ANSWERS);
            model.deliver();
            assertThat(waiting).allSatisfy(one -> assertThat(one).isCompleted());
        }
    }

    @Test
    void nothingIsReportedForRequestsThatWereCertainlyNotGranted() {
        warm(DAILY);
        List<String> sent =
                new ArrayList<>(model.requests.stream().map(LeaseRequest::lease).toList());
        model.setMood(Mood.FAILS);
        for (int i = 0; i < 30; i++) {
            leases.decide(one(DAILY, 1));
            clock.advance(Duration.ofMillis(10));
        }
        int failed = model.requests.size();
        assertThat(failed).isGreaterThan(sent.size());
        model.setMood(Mood.ANSWERS);
        run(DAILY, 100, Duration.ofMillis(1));
        clock.advance(Duration.ofSeconds(2));
        model.requests.subList(failed, model.requests.size()).forEach(request -> sent.add(request.lease()));
        assertThat(model.ended).extracting(EndedLease::lease).isSubsetOf(sent);
        assertThat(model.outstanding(DAILY, "k")).isZero();
    }

    @Test
    void theRestOfALeaseIsReturnedAfterTwoSecondsWithoutTheStoreUnderAnyLoad() {
        warm(DAILY);
        model.setMood(Mood.FAILS);
        clock.advance(Duration.ofMillis(400));
        assertThat(leases.outstanding()).isZero();
        for (int i = 0; i < 200; i++) {
            leases.decide(one(DAILY, 1));
            clock.advance(Duration.ofMillis(10));
        }
        model.setMood(Mood.ANSWERS);
        run(DAILY, 50, Duration.ofMillis(1));
        clock.advance(Duration.ofSeconds(3));
        assertThat(model.remaining(DAILY, "k")).isEqualTo(10_000 - 8 - 50);
    }

    @Test
    void whereLeasesComeTooLateTheyAreNotAskedForAllTheTime() {
        LeasePolicy brief = new LeasePolicy(0, 0.1, 1_000);
        model.setMood(Mood.LATE);
        for (int i = 0; i < 2_000; i++) {
            leases.decide(ask(Demand.of(DAILY, "k", 1).leasedBy(brief)));
            clock.advance(Duration.of(100, ChronoUnit.MICROS));
            if (i % 20 == 19) {
                model.deliver();
            }
        }
        // In 200 ms with 2 ms for each request; without a pause there would be 100.
        assertThat(model.requests.size()).isBetween(2, 15);
    }

    @Test
    void aSweepEndsLeasesOfSomeKeysAndThoseOfOthersWithTheNext() {
        for (int key = 0; key < 900; key++) {
            for (int i = 0; i < 9; i++) {
                outcome(leases.decide(ask(Demand.of(DAILY, "k" + key, 1).leasedBy(TENTH))));
            }
        }
        assertThat(model.records()).isEqualTo(900);
        long most = 0;
        for (int i = 0; i < 20; i++) {
            long before = model.calls;
            clock.advance(SWEEP);
            most = Math.max(most, model.calls - before);
        }
        assertThat(most).isEqualTo(256);
        assertThat(model.records()).isZero();
        assertThat(leases.outstanding()).isZero();
    }

    private void warmBoth() {
        for (int i = 0; i < 60; i++) {
            outcome(leases.decide(both(DAILY, GLOBAL)));
            clock.advance(Duration.ofMillis(1));
        }
    }

    private Ask both(Limit one, Limit other) {
        return ask(
                Demand.of(one, "k", 1).leasedBy(one == DAILY ? ALL : TENTH),
                Demand.of(other, "k", 1).leasedBy(other == DAILY ? ALL : TENTH));
    }

    /** Eight callers, the last of which is the first to be served from a lease of sixteen. */
    private void warm(Limit limit) {
        for (int i = 0; i < 8; i++) {
            assertThat(decide(limit, 1).allowed()).isTrue();
        }
        assertThat(leases.outstanding()).isPositive();
    }

    /** Asks until the count is used up and this process knows it. */
    private void exhaust(Limit limit, LeasePolicy policy) {
        boolean allowed = true;
        for (int i = 0; i < 20_000 && allowed; i++) {
            allowed = decide(limit, policy, 1).allowed();
        }
        assertThat(allowed).isFalse();
    }

    /** Spends all held permits. */
    private void spend(Limit limit) {
        for (long left = leases.outstanding(); left > 0; left--) {
            assertThat(decide(limit, 1).allowed()).isTrue();
        }
    }

    private void run(Limit limit, int times, Duration gap) {
        for (int i = 0; i < times; i++) {
            assertThat(decide(limit, 1).allowed()).isTrue();
            clock.advance(gap);
        }
    }

    private EngineDecision decide(Limit limit, long permits) {
        return decide(limit, TENTH, permits);
    }

    private EngineDecision decide(Limit limit, LeasePolicy policy, long permits) {
        return (EngineDecision)
                outcome(leases.decide(ask(Demand.of(limit, "k", permits).leasedBy(policy))));
    }

    private static Ask one(Limit limit, long permits) {
        return ask(Demand.of(limit, "k", permits).leasedBy(TENTH));
    }

    private static Ask ask(Demand... demands) {
        return Ask.charging(Arrays.asList(demands));
    }

    private static Outcome outcome(Answer answer) {
        return Objects.requireNonNull(outcomeOrNull(answer));
    }

    private static @org.jspecify.annotations.Nullable Outcome outcomeOrNull(Answer answer) {
        return pending(answer).getNow(null);
    }

    private static CompletableFuture<Outcome> pending(Answer answer) {
        return answer instanceof PendingOutcome pending
                ? pending.outcome().toCompletableFuture()
                : CompletableFuture.completedFuture((Outcome) answer);
    }
}
