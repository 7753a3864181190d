package io.sluice.core.local;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.core.Seeded;
import io.sluice.core.limit.Limit;
import io.sluice.core.limit.Rate;
import io.sluice.core.limit.TokenBucket;
import io.sluice.core.spi.Ask;
import io.sluice.core.spi.Demand;
import io.sluice.core.spi.EngineDecision;
import io.sluice.core.time.ManualClock;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Attacks A12 and A13: more keys than there is room for. */
final class KeyFloodTest {

    private static final int MAX_KEYS = 10_000;
    private static final int OVERFLOW_COUNTS = 16;

    private final ManualClock clock = ManualClock.at(1_790_000_000_000_000L);
    private final LocalEngine engine =
            LocalEngine.builder().clock(clock).maxKeys(MAX_KEYS).build();

    static Stream<Limit> limits() {
        Duration minute = Duration.ofMinutes(1);
        Limit.Named x = Limit.named("x");
        return Stream.of(
                x.tokenBucket(Rate.perMinute(20)).withBurst(20),
                x.leakyBucket(Rate.perMinute(20)).withCapacity(19),
                x.fixedWindow(20, minute),
                x.slidingWindow(20, minute),
                x.slidingLog(20, minute),
                x.concurrency(20, minute));
    }

    @ParameterizedTest
    @MethodSource("limits")
    void aFloodOfKeysNeitherGrowsMemoryNorTouchesTheCountsOfOthersNorGetsMoreThanAFewShares(Limit limit) {
        long flood =
                limit instanceof TokenBucket ? Seeded.scaled(100_000, 20_000_000) : Seeded.scaled(20_000, 2_000_000);
        for (int i = 0; i < MAX_KEYS; i++) {
            assertThat(take(limit, "known" + i, 1 + i % 20)).isTrue();
        }
        assertThat(engine.overflowed()).isZero();
        long admitted = 0;
        for (long i = flood; i > 0; i--) {
            admitted += take(limit, "flood" + i, 1) ? 1 : 0;
        }
        assertThat(engine.keys()).isBetween((long) MAX_KEYS, (long) MAX_KEYS + OVERFLOW_COUNTS);
        assertThat(engine.overflowed()).isEqualTo(flood);
        // Time stood still, so the whole flood got the burst of each overflow count and not one permit more.
        assertThat(admitted)
                .isLessThanOrEqualTo(OVERFLOW_COUNTS * limit.capacity())
                .isPositive();
        for (int i = 0; i < MAX_KEYS; i++) {
            assertThat(remaining(limit, "known" + i)).as("known key %d", i).isEqualTo(20 - (1 + i % 20));
        }
        clock.advance(Duration.ofMinutes(3));
        long before = engine.overflowed();
        long own = 0;
        for (int i = 0; i < MAX_KEYS - 100; i++) {
            own += take(limit, "new" + i, 20) ? 1 : 0;
        }
        // The first few still find it full; they make room as they ask.
        assertThat(engine.overflowed() - before).isLessThan(100);
        assertThat(own).isGreaterThan(MAX_KEYS - 200);
    }

    @Test
    void aFloodThatGoesOnGetsNoMoreThanTheSharesRefill() {
        TokenBucket limit = Limit.named("x").tokenBucket(Rate.perHour(3_600)).withBurst(20);
        TokenBucket slow = Limit.named("slow").tokenBucket(Rate.perDay(1)).withBurst(1);
        for (int i = 0; i < MAX_KEYS; i++) {
            take(slow, "known" + i, 1);
        }
        long admitted = 0;
        for (int second = 0; second < 100; second++) {
            for (int i = 0; i < 1_000; i++) {
                admitted += take(limit, "flood" + second + "." + i, 1) ? 1 : 0;
            }
            clock.advance(Duration.ofSeconds(1));
        }
        assertThat(admitted).isLessThanOrEqualTo(OVERFLOW_COUNTS * (20 + 100L));
        assertThat(engine.keys()).isLessThanOrEqualTo(MAX_KEYS + OVERFLOW_COUNTS);
    }

    @Test
    void aDecisionOverSeveralLimitsStaysAllOrNothingInTheOverflow() {
        TokenBucket first = Limit.named("first").tokenBucket(Rate.perDay(1)).withBurst(100);
        TokenBucket second = Limit.named("second").tokenBucket(Rate.perDay(1)).withBurst(1);
        for (int i = 0; i < MAX_KEYS; i++) {
            take(first, "known" + i, 1);
        }
        long admitted = 0;
        for (int i = 0; i < 10_000; i++) {
            Ask ask = Ask.charging(
                    List.of(Demand.of(first, "a" + i, 1), Demand.of(first, "b" + i, 1), Demand.of(second, "c" + i, 1)));
            admitted += ((EngineDecision) engine.decide(ask)).allowed() ? 1 : 0;
        }
        assertThat(admitted).isBetween(1L, (long) OVERFLOW_COUNTS);
        long left = 0;
        for (int i = 0; i < OVERFLOW_COUNTS * 50; i++) {
            left += take(first, "single" + i, 100) ? 1 : 0;
        }
        // Single decisions use the overflow counts of the first position. A refused decision over several limits
        // charged none of them.
        assertThat(left).isBetween(OVERFLOW_COUNTS - admitted, (long) OVERFLOW_COUNTS);
    }

    @Test
    void anIdleKeyTakesFewBytes() {
        // Both sizes fill a table of a power of two by 95 %.
        int keys = 250_000 * (int) Seeded.scaled(1, 4);
        String[] names = new String[keys];
        for (int i = 0; i < keys; i++) {
            names[i] = "k" + i;
        }
        TokenBucket limit = Limit.named("x").tokenBucket(Rate.perDay(1)).withBurst(10);
        LocalEngine wide = LocalEngine.builder().clock(clock).maxKeys(keys).build();
        long before = heap();
        for (String name : names) {
            wide.decide(Ask.charging(List.of(Demand.of(limit, name, 1))));
        }
        double bytes = (double) (heap() - before) / keys;
        assertThat(wide.keys()).isEqualTo(keys);
        assertThat(names[keys - 1])
                .as("the keys were not collected before they were measured")
                .isNotEmpty();
        System.out.printf("a token bucket takes %.1f bytes of heap beside its key, at %d keys%n", bytes, keys);
        assertThat(bytes).isLessThan(48);
    }

    private static long heap() {
        Runtime runtime = Runtime.getRuntime();
        long least = Long.MAX_VALUE;
        for (int i = 0; i < 4; i++) {
            System.gc();
            least = Math.min(least, runtime.totalMemory() - runtime.freeMemory());
        }
        return least;
    }

    private boolean take(Limit limit, String key, long permits) {
        return ((EngineDecision) engine.decide(Ask.charging(List.of(Demand.of(limit, key, permits))))).allowed();
    }

    private long remaining(Limit limit, String key) {
        Ask look = Ask.charging(List.of(Demand.of(limit, key, 1))).looking();
        return ((EngineDecision) engine.decide(look)).verdicts().get(0).remaining();
    }
}
