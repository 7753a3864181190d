package io.sluice.core.algorithm;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.core.Seeded;
import io.sluice.core.limit.LeakyBucket;
import io.sluice.core.limit.Limit;
import io.sluice.core.limit.Rate;
import io.sluice.core.spi.Demand;
import io.sluice.core.spi.Verdict;
import org.junit.jupiter.api.Test;

/** What a demand keeps for others remains after it, and a refusal names the first moment at which it passes. */
final class KeepTest {

    @Test
    void atLeastWhatADemandKeepsRemainsAfterItUnderEveryAlgorithm() {
        Seeded random = Seeded.random("keep, what remains");
        for (long round = Seeded.scaled(400); round > 0; round--) {
            Limit limit = Driven.limit(random, random.nextInt(Driven.KINDS));
            Driven count = new Driven(limit);
            long now = Driven.NOW;
            for (int i = 0; i < 100; i++) {
                now += random.nextInt(3) == 0 ? random.nextLong(Driven.span(limit)) : 0;
                Demand free = demand(random, limit);
                Demand keeping = free.keeping(random.nextLong(limit.capacity() + 2));
                Verdict without = count.look(free.waitingUpTo(0), now);
                Verdict verdict = count.ask(keeping.waitingUpTo(0), now);
                String where = random + ": " + limit + ", " + keeping;
                if (verdict.fits()) {
                    if (hasRoomUntilFull(limit)) {
                        assertThat(verdict.remaining()).as(where).isGreaterThanOrEqualTo(keeping.keep());
                    }
                    assertThat(without.fits()).as(where).isTrue();
                } else {
                    assertThat(verdict.keptForOthers()).as(where).isEqualTo(keeping.keep() > 0 && without.fits());
                    assertThat(verdict.retryAfterMicros() == Verdict.NEVER)
                            .as(where)
                            .isEqualTo(keeping.needed() > limit.capacity());
                }
            }
        }
    }

    @Test
    void aRefusalNamesTheFirstMomentAtWhichItPasses() {
        Seeded random = Seeded.random("keep, retry");
        for (long round = Seeded.scaled(400); round > 0; round--) {
            Limit limit = Driven.limit(random, random.nextInt(Driven.KINDS));
            Driven count = new Driven(limit);
            long now = Driven.NOW;
            for (int i = 0; i < 30; i++) {
                Demand keeping = demand(random, limit).keeping(random.nextLong(limit.capacity() + 1));
                long retry = count.ask(keeping, now).retryAfterMicros();
                if (retry > 0 && retry < Driven.span(limit) * 4) {
                    String where = random + ": " + limit + ", " + keeping;
                    assertThat(count.look(keeping, now + retry - 1).fits())
                            .as(where)
                            .isFalse();
                    assertThat(count.look(keeping, now + retry).fits())
                            .as(where)
                            .isTrue();
                    now += retry;
                }
            }
        }
    }

    @Test
    void aDemandOnAShareOfALimitKeepsTheSameShareRoundedUp() {
        Limit limit = Limit.named("x").tokenBucket(Rate.perSecond(1_000)).withBurst(1_000);
        Demand demand = Demand.of(limit, "k", 1).keeping(501);
        assertThat(demand.on(limit.scaled(0.5)).keep()).isEqualTo(251);
        assertThat(demand.on(limit).keep()).isEqualTo(501);
        assertThat(Demand.of(limit, "k", 1).on(limit.scaled(0.5)).keep()).isZero();
    }

    @Test
    void onlyADemandThatKeepsPermitsMayWantNone() {
        Limit limit = Limit.named("x").tokenBucket(Rate.perSecond(1_000)).withBurst(1_000);
        Demand nothing = Demand.of(limit, "k", 1).keeping(1).permits(0);
        assertThat(nothing.needed()).isEqualTo(1);
        assertThat(nothing.isCharged()).isFalse();
        assertThat(nothing.on(limit.scaled(0.001)).keep()).isEqualTo(1);
        assertThatThrownBy(() -> nothing.keeping(0)).hasMessage("permits: 0 (expected: 1..1000000000)");
        assertThatThrownBy(() -> nothing.permits(-1)).hasMessage("permits: -1 (expected: 0..1000000000)");
        assertThatThrownBy(() -> nothing.orAtLeast(1)).hasMessage("atLeast: 1 (expected: 0..0)");
    }

    @Test
    void refusesToKeepWhatNoLimitHas() {
        Demand demand = Demand.of(Limit.named("x").tokenBucket(Rate.perSecond(1)), "k", 1);
        assertThatThrownBy(() -> demand.keeping(-1)).hasMessage("keep: -1 (expected: 0.." + Limit.MAX_CAPACITY + ")");
        assertThatThrownBy(() -> demand.keeping(Limit.MAX_CAPACITY + 1)).hasMessageStartingWith("keep: ");
    }

    /** A leaky bucket keeps places in its queue. If nobody may wait for the last of them, it has no room before it is full. */
    private static boolean hasRoomUntilFull(Limit limit) {
        return !(limit instanceof LeakyBucket bucket)
                || bucket.maxWaitMicros() >= bucket.pace().microsFor(bucket.capacity() - 1, 0);
    }

    private static Demand demand(Seeded random, Limit limit) {
        return Demand.of(limit, "k", 1 + random.nextLong(limit.capacity()));
    }
}
