package io.sluice.core.algorithm;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.core.Seeded;
import io.sluice.core.limit.Limit;
import io.sluice.core.limit.Rate;
import io.sluice.core.limit.TokenBucket;
import io.sluice.core.spi.Demand;
import io.sluice.core.spi.Settlement;
import io.sluice.core.spi.Verdict;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Settling a reservation leaves a count as if the real figure had been charged, as far as that is known. */
final class SettleTest {

    private static final long NOW = Driven.NOW;
    private static final int[] SETTLED_KINDS = {0, 2, 3, 4, 5, 6};

    @Test
    void settledAtOnceACountIsAsIfTheRealFigureHadBeenCharged() {
        Seeded random = Seeded.random("settle at once");
        for (long round = Seeded.scaled(500, 20_000); round > 0; round--) {
            Limit limit = Driven.limit(random, SETTLED_KINDS[random.nextInt(SETTLED_KINDS.length)]);
            Count settled = Count.of(limit);
            Count exact = Count.of(limit);
            long room = usedByOthers(random, limit, settled, exact);
            if (room == 0) {
                continue;
            }
            long reserved = 1 + random.nextLong(room);
            long actual = random.oneIn(4) ? 0 : 1 + random.nextLong(room);
            Verdict verdict = charge(settled, limit, reserved, NOW);
            if (actual > 0) {
                Verdict unused = charge(exact, limit, actual, NOW);
            }
            long change = settled.settle(settlement(limit, reserved, actual, verdict.chargedAtMicros()), NOW);
            assertThat(change).isEqualTo(actual - reserved);
            assertAlike(settled, exact, limit, random);
        }
    }

    @Test
    void aDebtOfAReservationThatNoLongerCountsIsLikeAChargeNow() {
        Seeded random = Seeded.random("settle debts");
        for (long round = Seeded.scaled(500, 20_000); round > 0; round--) {
            Limit limit = Driven.limit(random, SETTLED_KINDS[random.nextInt(SETTLED_KINDS.length)]);
            Count settled = Count.of(limit);
            Count charged = Count.of(limit);
            long room = usedByOthers(random, limit, settled, charged);
            if (room == 0) {
                continue;
            }
            long more = 1 + random.nextLong(room);
            long change = settled.settle(settlement(limit, 0, more, NOW - 3 * Driven.span(limit)), NOW);
            assertThat(change).isEqualTo(more);
            Verdict unused = charge(charged, limit, more, NOW);
            assertAlike(settled, charged, limit, random);
        }
    }

    /** Charges both counts alike, at some times until now. Returns how many permits are left. */
    private static long usedByOthers(Seeded random, Limit limit, Count one, Count other) {
        long now = NOW - Driven.span(limit);
        for (int i = random.nextInt(5); i > 0; i--) {
            now += random.nextLong(1 + (NOW - now) / 2);
            Demand demand = Demand.of(limit, "k", 1 + random.nextLong(limit.capacity()));
            if (look(one, demand, now).fits()) {
                for (Count count : List.of(one, other)) {
                    Verdict unused = charge(count, limit, demand.permits(), now);
                }
            }
        }
        return look(one, Demand.of(limit, "k", 1), NOW).remaining();
    }

    private static void assertAlike(Count settled, Count exact, Limit limit, Seeded random) {
        for (int i = 0; i < 10; i++) {
            long later = NOW + random.nextLong(2 * Driven.span(limit));
            Demand demand = Demand.of(limit, "k", 1 + random.nextLong(limit.capacity()));
            assertThat(look(settled, demand, later))
                    .as("%s: %s, after %d us", random, limit, later - NOW)
                    .isEqualTo(look(exact, demand, later));
        }
    }

    @Test
    void givingBackNeverLeavesLessThanOthersUsed() {
        Seeded random = Seeded.random("settle late");
        for (long round = Seeded.scaled(500, 20_000); round > 0; round--) {
            Limit limit = Driven.limit(random, SETTLED_KINDS[random.nextInt(SETTLED_KINDS.length)]);
            Count settled = Count.of(limit);
            Count others = Count.of(limit);
            long reserved = 1 + random.nextLong(limit.capacity());
            Verdict verdict = charge(settled, limit, reserved, NOW);
            long now = NOW;
            for (int i = 0; i < 5; i++) {
                now += random.nextLong(Driven.span(limit));
                Demand one = Demand.of(limit, "k", 1 + random.nextLong(limit.capacity()));
                long grant = settled.grant(one, now);
                if (grant > 0) {
                    settled.charge(one, grant, now);
                    long unused = others.grant(one, now);
                    others.charge(one, grant, now);
                }
            }
            long change = settled.settle(settlement(limit, reserved, 0, verdict.chargedAtMicros()), now);
            assertThat(change).isBetween(-reserved, 0L);
            Demand one = Demand.of(limit, "k", 1);
            assertThat(look(settled, one, now).remaining())
                    .as("%s: %s", random, limit)
                    .isLessThanOrEqualTo(look(others, one, now).remaining());
        }
    }

    @Test
    void debtIsBoundedAndOverflowsNothing() {
        TokenBucket fastest = Limit.named("f").tokenBucket(new Rate(1_000_000_000_000L, Duration.ofSeconds(1_000)));
        for (Limit limit : List.of(
                fastest.withBurst(Limit.MAX_CAPACITY),
                Limit.named("slow").tokenBucket(new Rate(1, Duration.ofDays(1_000))),
                Limit.named("fw").fixedWindow(Limit.MAX_CAPACITY, Duration.ofDays(1_000)),
                Limit.named("sw").slidingWindow(Limit.MAX_CAPACITY, Duration.ofDays(1_000)),
                Limit.named("we")
                        .slidingWindow(Limit.MAX_CAPACITY, Duration.ofDays(1_000))
                        .asEstimate(),
                Limit.named("sl").slidingLog(5, Duration.ofDays(1_000)))) {
            Count count = Count.of(limit);
            long charged = 0;
            for (int i = 0; i < 1_000_100; i++) {
                charged += count.settle(settlement(limit, 0, Limit.MAX_PERMITS, NOW), NOW);
            }
            assertThat(charged).as("%s", limit).isEqualTo(Count.MOST_USED);
            Verdict verdict = look(count, Demand.of(limit, "k", 1), NOW + 1);
            assertThat(verdict.fits()).isFalse();
            assertThat(verdict.remaining()).isZero();
            assertThat(verdict.retryAfterMicros()).isPositive();
            assertThat(verdict.resetAfterMicros()).isPositive();
        }
    }

    /** The bound is one for all that counts, and not for each slice or entry. */
    @Test
    void debtIsBoundedInAllPartsOfAWindowTogether() {
        Duration window = Duration.ofDays(1_000);
        for (Limit limit : List.of(
                Limit.named("sw").slidingWindow(5, window).withSlices(10),
                Limit.named("we").slidingWindow(5, window).withSlices(10).asEstimate(),
                Limit.named("sl").slidingLog(5, window))) {
            Count count = Count.of(limit);
            long charged = 0;
            for (int part = 0; part < 3; part++) {
                long now = NOW + part * limit.windowMicros() / 10;
                for (int i = 0; i < 400_000; i++) {
                    charged += count.settle(settlement(limit, 0, Limit.MAX_PERMITS, now), now);
                }
            }
            assertThat(charged).as("%s", limit).isEqualTo(Count.MOST_USED);
        }
    }

    @Test
    void limitsWhosePermitsAreHeldOrQueuedCannotBeSettled() {
        Limit held = Limit.named("c").concurrency(1, Duration.ofSeconds(1));
        Limit queued = Limit.named("l").leakyBucket(Rate.perSecond(1));
        for (Limit limit : List.of(held, queued)) {
            assertThatThrownBy(() -> settlement(limit, 1, 1, NOW))
                    .hasMessage("limit: " + limit
                            + " (expected: a token bucket, a fixed or sliding window, or a sliding log)");
        }
    }

    @Test
    void refusesFiguresThatNoRequestCanHave() {
        Limit limit = Limit.named("x").slidingLog(1, Duration.ofSeconds(1));
        assertThatThrownBy(() -> settlement(limit, -1, 1, NOW)).hasMessage("reserved: -1 (expected: 0..1000000000)");
        assertThatThrownBy(() -> settlement(limit, 1, Limit.MAX_PERMITS + 1, NOW))
                .hasMessageStartingWith("actual: ");
        assertThatThrownBy(() -> settlement(limit, 1, 1, Verdict.FINAL)).hasMessageStartingWith("chargedAtMicros: ");
        assertThatThrownBy(() -> new Settlement(limit, "k", 1, 1, NOW, "", 1))
                .hasMessage("id: 0 characters (expected: 1..128 characters)");
        assertThatThrownBy(() -> new Settlement(limit, "k", 1, 1, NOW, "id", 0))
                .hasMessageStartingWith("withinMicros: ");
    }

    private static Verdict charge(Count count, Limit limit, long permits, long now) {
        Demand demand = Demand.of(limit, "k", permits);
        long grant = count.grant(demand, now);
        Verdict verdict = count.verdict(demand, grant, true, now);
        count.charge(demand, grant, now);
        return verdict;
    }

    private static Verdict look(Count count, Demand demand, long micros) {
        return count.verdict(demand, count.grant(demand, micros), false, micros);
    }

    private static Settlement settlement(Limit limit, long reserved, long actual, long chargedAtMicros) {
        return new Settlement(limit, "k", reserved, actual, chargedAtMicros, "id", Settlement.MAX_WITHIN_MICROS);
    }
}
