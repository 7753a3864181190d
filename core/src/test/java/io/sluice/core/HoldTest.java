package io.sluice.core;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.core.limit.Concurrency;
import io.sluice.core.limit.Limit;
import io.sluice.core.local.LocalEngine;
import io.sluice.core.spi.Demand;
import io.sluice.core.time.ManualClock;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

final class HoldTest {

    private static final Duration SECOND = Duration.ofSeconds(1);
    private static final Duration TTL = Duration.ofMinutes(1);
    private static final Concurrency TWO = Limit.named("two").concurrency(2, TTL);
    private static final Limit LOG = Limit.named("log").slidingLog(5, TTL);

    private final ManualClock clock = ManualClock.at(1_790_000_000_000_000L);
    private final Limiter limiter = new Limiter(new LocalEngine(clock), clock, List.of());

    @Test
    void holdsUntilItIsClosed() {
        try (Hold hold = limiter.hold(TWO, "k", 2)) {
            assertThat(hold.allowed()).isTrue();
            assertThat(hold).hasToString("open: allowed by two (concurrency 2): 0 remaining");
            assertThat(remaining()).isZero();
        }
        assertThat(remaining()).isEqualTo(2);
    }

    @Test
    void holdsNothingWhenRefused() {
        try (Hold hold = limiter.hold(TWO, "k", 2);
                Hold refused = limiter.hold(TWO, "k", 1)) {
            assertThat(hold.allowed()).isTrue();
            assertThat(refused.allowed()).isFalse();
            assertThat(refused.decision().retryAfter()).contains(TTL);
            assertThat(isRenewed(refused)).isFalse();
            refused.close();
            assertThat(remaining()).isZero();
        }
    }

    @Test
    void givesBackOnceHoweverOftenItIsClosed() {
        Hold first = limiter.hold(TWO, "k", 1);
        first.close();
        Hold second = limiter.hold(TWO, "k", 1);
        first.close();
        first.close();
        assertThat(remaining()).isEqualTo(1);
        second.close();
        assertThat(remaining()).isEqualTo(2);
    }

    @Test
    void aReleaseWakesTheNextAtOnce() {
        Hold hold = limiter.hold(TWO, "k", 2);
        CompletableFuture<Hold> first = limiter.holdAsync(TWO, "k", 1, SECOND);
        CompletableFuture<Hold> second = limiter.holdAsync(TWO, "k", 1, SECOND);
        CompletableFuture<Hold> third = limiter.holdAsync(TWO, "k", 1, SECOND);
        assertThat(first).isNotDone();
        hold.close();
        assertThat(first).isCompletedWithValueMatching(Hold::allowed);
        assertThat(second).isCompletedWithValueMatching(Hold::allowed);
        assertThat(third).isNotDone();
        second.join().close();
        assertThat(third).isCompletedWithValueMatching(Hold::allowed);
    }

    @Test
    void aGiveBackOfADecisionWakesTheNextToo() {
        Decision decision = limiter.decide(LOG, "k", 5);
        CompletableFuture<Decision> next = limiter.acquireAsync(LOG, "k", 1, TTL);
        assertThat(next).isNotDone();
        limiter.giveBack(decision);
        assertThat(next).isCompletedWithValueMatching(Decision::allowed);
    }

    @Test
    void takesOverWhatAHolderThatDiedHasLost() {
        limiter.hold(TWO, "k", 2);
        CompletableFuture<Hold> next = limiter.holdAsync(TWO, "k", 1, TTL.plus(SECOND));
        clock.advance(TTL.minusNanos(1_000));
        assertThat(next).isNotDone();
        clock.advance(Duration.ofNanos(1_000));
        assertThat(next).isCompletedWithValueMatching(Hold::allowed);
    }

    @Test
    void isHeldForLongerWhenRenewed() {
        Hold hold = limiter.hold(TWO, "k", 2);
        for (int i = 0; i < 5; i++) {
            clock.advance(TTL.minusNanos(1_000));
            assertThat(isRenewed(hold)).isTrue();
        }
        assertThat(remaining()).isZero();
    }

    @Test
    void isNotRenewedOnceItsTimeIsOverOrItIsClosed() {
        Hold hold = limiter.hold(TWO, "k", 1);
        clock.advance(TTL);
        assertThat(isRenewed(hold)).isFalse();
        Hold closed = limiter.hold(TWO, "k", 1);
        closed.close();
        assertThat(isRenewed(closed)).isFalse();
    }

    @Test
    void closingLateTakesNothingFromTheCurrentHolder() {
        Hold late = limiter.hold(TWO, "k", 2);
        clock.advance(TTL);
        Hold now = limiter.hold(TWO, "k", 2);
        late.close();
        assertThat(now.allowed()).isTrue();
        assertThat(remaining()).isZero();
    }

    @Test
    void givesBackOnlyHeldPermitsOfSeveralLimits() {
        Decision decision = limiter.decide(List.of(Demand.of(LOG, "k", 1), Demand.of(TWO, "k", 2)));
        limiter.hold(decision).close();
        assertThat(remaining()).isEqualTo(2);
        assertThat(limiter.look(List.of(Demand.of(LOG, "k", 1))).remaining()).isEqualTo(4);
    }

    @Test
    void aCancelledWaitForAHoldTakesNothing() {
        Hold hold = limiter.hold(TWO, "k", 2);
        CompletableFuture<Hold> cancelled = limiter.holdAsync(TWO, "k", 2, SECOND);
        cancelled.cancel(false);
        hold.close();
        assertThat(remaining()).isEqualTo(2);
    }

    private boolean isRenewed(Hold hold) {
        return hold.renew().toCompletableFuture().join();
    }

    private long remaining() {
        return limiter.look(List.of(Demand.of(TWO, "k", 1))).remaining();
    }
}
