package io.sluice.redis.internal.refusal;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.core.limit.Limit;
import io.sluice.core.limit.Rate;
import io.sluice.core.local.LocalEngine;
import io.sluice.core.spi.Answer;
import io.sluice.core.spi.Ask;
import io.sluice.core.spi.Demand;
import io.sluice.core.spi.EngineDecision;
import io.sluice.core.spi.PendingOutcome;
import io.sluice.core.spi.Verdict;
import io.sluice.core.time.ManualClock;
import io.sluice.testkit.QuietClock;
import io.sluice.testkit.engine.UnreliableEngine;
import io.sluice.testkit.engine.UnreliableEngine.Mood;
import java.time.Duration;
import java.util.Arrays;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;

final class DenyCacheTest {

    private static final Limit TWO = Limit.named("two").slidingLog(2, Duration.ofSeconds(30));
    private static final Limit TEN = Limit.named("ten").slidingLog(10, Duration.ofSeconds(30));
    private static final Limit QUICK =
            Limit.named("quick").tokenBucket(Rate.perSecond(100)).withBurst(1);
    private static final Limit DAILY = Limit.named("daily").slidingLog(1, Duration.ofDays(1));

    private final ManualClock clock = QuietClock.at(1_790_000_000_000_000L);
    private final UnreliableEngine behind = new UnreliableEngine(new LocalEngine(clock));
    private final RefusalTable memory = new RefusalTable();
    private final AtomicBoolean told = new AtomicBoolean(true);
    private final DenyCache engine = DenyCache.over(new UnnamedEngine(behind), "p", clock, memory, told::get);

    @Test
    void asksOnceUntilTheRetryTime() {
        for (int i = 0; i < 100; i++) {
            assertThat(decide(TWO, "k", 1).allowed()).isEqualTo(i < 2);
        }
        clock.advance(Duration.ofSeconds(30).minusNanos(1));
        assertThat(decide(TWO, "k", 1).allowed()).isFalse();
        assertThat(behind.asked()).hasSize(3);
        assertThat(engine.remembered()).isEqualTo(98);
        clock.advance(Duration.ofNanos(1));
        assertThat(decide(TWO, "k", 1).allowed()).isTrue();
    }

    @Test
    void reportsTheRemainingTime() {
        decide(TWO, "k", 2);
        decide(TWO, "k", 1);
        clock.advance(Duration.ofMillis(30));
        EngineDecision refused = decide(TWO, "k", 1);
        assertThat(behind.asked()).hasSize(2);
        assertThat(refused.degraded()).isNull();
        assertThat(refused.atMicros()).isEqualTo(clock.epochMicros());
        assertThat(refused.verdicts().get(0).retryAfterMicros()).isEqualTo(29_970_000);
        assertThat(refused.verdicts().get(0).resetAfterMicros()).isEqualTo(29_970_000);
    }

    @Test
    void asksAgainAfterAMinuteWhateverTheRetryTime() {
        decide(DAILY, "k", 1);
        decide(DAILY, "k", 1);
        clock.advance(DenyCache.LONGEST.minusNanos(1));
        EngineDecision refused = decide(DAILY, "k", 1);
        assertThat(refused.verdicts().get(0).retryAfterMicros())
                .isBetween(
                        Duration.ofHours(23).toMillis() * 1_000,
                        Duration.ofDays(1).toMillis() * 1_000);
        assertThat(behind.asked()).hasSize(2);
        clock.advance(Duration.ofNanos(1));
        decide(DAILY, "k", 1);
        assertThat(behind.asked()).hasSize(3);
    }

    /** Redis answered at some time between request and arrival; it is unknown when. */
    @Test
    void countsTheRetryTimeFromTheRequestAndReportsItFromTheAnswer() {
        decide(QUICK, "k", 1);
        behind.setMood(Mood.LATE_AND_TWICE);
        CompletableFuture<?> late = asked(ask(QUICK, "k", 1));
        clock.advance(Duration.ofMillis(4));
        behind.deliver();
        assertThat(late).isCompleted();
        behind.setMood(Mood.ANSWERS);
        clock.advance(Duration.ofMillis(1));
        assertThat(decide(QUICK, "k", 1).verdicts().get(0).retryAfterMicros()).isEqualTo(5_000);
        assertThat(behind.asked()).hasSize(2);
        clock.advance(Duration.ofMillis(1));
        assertThat(decide(QUICK, "k", 1).allowed()).isFalse();
        assertThat(behind.asked()).hasSize(3);
    }

    @Test
    void cachesOnlyBrieflyWhileRefundsAreNotAnnounced() {
        decide(TWO, "k", 2);
        decide(TWO, "k", 1);
        told.set(false);
        clock.advance(DenyCache.UNTOLD.minusNanos(1));
        decide(TWO, "k", 1);
        assertThat(behind.asked()).hasSize(2);
        clock.advance(Duration.ofNanos(1));
        decide(TWO, "k", 1);
        assertThat(behind.asked()).hasSize(3);
        told.set(true);
        decide(TWO, "k", 1);
        assertThat(behind.asked()).hasSize(3);
    }

    @Test
    void refusesMoreThanWasRefusedAndNotLess() {
        decide(TEN, "k", 7);
        assertThat(decide(TEN, "k", 5).allowed()).isFalse();
        assertThat(decide(TEN, "k", 6).allowed()).isFalse();
        assertThat(behind.asked()).hasSize(2);
        assertThat(decide(TEN, "k", 4).allowed()).isFalse();
        assertThat(decide(TEN, "k", 1).allowed()).isTrue();
        assertThat(decide(TEN, "k", 4).allowed()).isFalse();
        assertThat(behind.asked()).hasSize(4);
        assertThat(decide(TEN, "k", 11).verdicts().get(0).retryAfterMicros()).isEqualTo(Verdict.NEVER);
        assertThat(behind.asked()).hasSize(4);
    }

    @Test
    void comparesTheMinimumGrant() {
        decide(TEN, "k", 8);
        assertThat(decided(asking(Demand.of(TEN, "k", 9).orAtLeast(3))).allowed())
                .isFalse();
        assertThat(decide(TEN, "k", 3).allowed()).isFalse();
        assertThat(decided(asking(Demand.of(TEN, "k", 4).orAtLeast(3))).allowed())
                .isFalse();
        assertThat(behind.asked()).hasSize(2);
        assertThat(decided(asking(Demand.of(TEN, "k", 5).orAtLeast(2))).allowed())
                .isTrue();
    }

    @Test
    void doesNotRefuseADemandThatWaitsLongerThanTheRefusedOne() {
        Limit bucket = Limit.named("slow").tokenBucket(Rate.perSecond(1)).withBurst(5);
        decide(bucket, "k", 5);
        Demand three = Demand.of(bucket, "k", 3);
        assertThat(decided(asking(three.waitingUpTo(1_000_000))).allowed()).isFalse();
        assertThat(decided(asking(three.waitingUpTo(900_000))).allowed()).isFalse();
        assertThat(decided(asking(three)).allowed()).isFalse();
        assertThat(behind.asked()).hasSize(2);
        assertThat(decide(bucket, "k", 2).allowed()).isFalse();
        assertThat(decided(asking(three.waitingUpTo(3_000_000))).allowed()).isTrue();
    }

    @Test
    void keepsOtherKeysAndNumbersApart() {
        decide(TWO, "k", 2);
        assertThat(decide(TWO, "k", 1).allowed()).isFalse();
        assertThat(decide(TWO, "l", 1).allowed()).isTrue();
        Limit raised = Limit.named("two").slidingLog(5, Duration.ofSeconds(30));
        assertThat(decide(raised, "k", 3).allowed()).isTrue();
    }

    @Test
    void neverCachesConcurrency() {
        Limit slots = Limit.named("slots").concurrency(1, Duration.ofMinutes(1));
        decide(slots, "k", 1);
        decide(slots, "k", 1);
        decide(slots, "k", 1);
        assertThat(behind.asked()).hasSize(3);
        assertThat(decided(asking(Demand.of(slots, "k", 1), Demand.of(TWO, "k", 1)))
                        .allowed())
                .isFalse();
        assertThat(decide(TWO, "k", 2).allowed()).isTrue();
    }

    @Test
    void refusesARequestIfOneDemandIsKnownToBeRefused() {
        decide(TWO, "k", 2);
        decided(asking(Demand.of(TEN, "all", 4), Demand.of(TWO, "k", 1)));
        int asked = behind.asked().size();
        clock.advance(Duration.ofSeconds(1));
        EngineDecision refused =
                decided(asking(Demand.of(QUICK, "new", 1), Demand.of(TEN, "all", 1), Demand.of(TWO, "k", 1)));
        assertThat(behind.asked()).hasSize(asked);
        assertThat(refused.allowed()).isFalse();
        assertThat(refused.verdicts()).extracting(Verdict::fits).containsExactly(true, true, false);
        assertThat(refused.verdicts()).extracting(Verdict::remaining).containsExactly(1L, 10L, 0L);
        assertThat(refused.verdicts()).extracting(Verdict::retryAfterMicros).containsExactly(0L, 0L, 29_000_000L);
        assertThat(refused.charges(
                        asking(Demand.of(QUICK, "new", 1), Demand.of(TEN, "all", 1), Demand.of(TWO, "k", 1))))
                .isEmpty();
    }

    @Test
    void forgetsARefusalBeforeTheRefundIsAnswered() {
        Ask both = asking(Demand.of(TWO, "k", 2), Demand.of(TWO, "l", 2));
        EngineDecision charged = decided(both);
        assertThat(decide(TWO, "k", 1).allowed()).isFalse();
        behind.setMood(Mood.LATE);
        CompletableFuture<?> before = asked(ask(TWO, "l", 1));
        behind.setMood(Mood.LOSES_ANSWER);
        assertThat(engine.giveBack(charged.charges(both)).toCompletableFuture()).isNotDone();
        behind.deliver();
        assertThat(before).isCompleted();
        behind.setMood(Mood.ANSWERS);
        assertThat(decide(TWO, "k", 1).allowed()).isTrue();
        assertThat(decide(TWO, "l", 1).allowed()).isTrue();
    }

    @Test
    void keepsOtherCountsWhenSomethingIsGivenBack() {
        Ask two = ask(TWO, "k", 2);
        EngineDecision charged = decided(two);
        decide(TEN, "l", 10);
        decide(TEN, "l", 1);
        engine.giveBack(charged.charges(two)).toCompletableFuture().join();
        int asked = behind.asked().size();
        decide(TEN, "l", 1);
        assertThat(behind.asked()).hasSize(asked);
    }

    @Test
    void doesNotCacheAnswersToRequestsBeforeARefund() {
        decide(TWO, "k", 2);
        behind.setMood(Mood.LATE);
        assertThat(asked(ask(TWO, "k", 1))).isNotDone();
        memory.forget("p:two:sl30s:k");
        behind.deliver();
        behind.setMood(Mood.ANSWERS);
        decide(TWO, "k", 1);
        assertThat(behind.asked()).hasSize(3);
        behind.setMood(Mood.LATE);
        assertThat(asked(ask(TEN, "k", 11))).isNotDone();
        memory.clear();
        behind.deliver();
        assertThat(memory.size()).isZero();
    }

    @Test
    void looksBypassTheCache() {
        decide(TWO, "k", 2);
        decide(TWO, "k", 1);
        int asked = behind.asked().size();
        decided(ask(TWO, "k", 1).looking());
        assertThat(behind.asked()).hasSize(asked + 1);
    }

    @Test
    void isForgottenWhenClosed() {
        decide(TWO, "k", 2);
        decide(TWO, "k", 1);
        behind.setMood(Mood.LATE);
        assertThat(asked(ask(TWO, "l", 3))).isNotDone();
        engine.close();
        behind.deliver();
        assertThat(memory.size()).isZero();
    }

    @Test
    void staysWithinItsBoundUnderAFloodOfKeys() {
        RefusalTable crowded = new RefusalTable();
        for (int i = 0; i < 5 * RefusalTable.MOST; i++) {
            Demand demand = Demand.of(TWO, "flood" + i, 3);
            Verdict refused = new Verdict(false, 0, 0, 30_000_000, 0, 0, 0);
            String count = "p:two:sl30s:flood" + i;
            crowded.keep(
                    LastVerdict.of(count, demand, refused, 0, 0, 0, DenyCache.LONGEST), demand, crowded.stamp(count));
            assertThat(crowded.find(count, TWO)).isNotNull();
        }
        assertThat(crowded.size()).isBetween(RefusalTable.MOST * 9 / 10, RefusalTable.MOST);
    }

    @Test
    void cachesNewRefusalsWhenFull() {
        for (int i = 0; i < 3_000; i++) {
            decide(TWO, "flood" + i, 3);
        }
        decide(TWO, "k", 2);
        decide(TWO, "k", 1);
        int asked = behind.asked().size();
        decide(TWO, "k", 1);
        assertThat(behind.asked()).hasSize(asked);
    }

    private EngineDecision decide(Limit limit, String key, long permits) {
        return decided(ask(limit, key, permits));
    }

    private static Ask ask(Limit limit, String key, long permits) {
        return asking(Demand.of(limit, key, permits));
    }

    private static Ask asking(Demand... demands) {
        return Ask.charging(Arrays.asList(demands));
    }

    private CompletableFuture<?> asked(Ask ask) {
        return ((PendingOutcome) engine.decide(ask)).outcome().toCompletableFuture();
    }

    private EngineDecision decided(Ask ask) {
        Answer answer = engine.decide(ask);
        return (EngineDecision)
                (answer instanceof PendingOutcome pending
                        ? pending.outcome().toCompletableFuture().join()
                        : answer);
    }
}
