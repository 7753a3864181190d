package io.sluice.core.algorithm;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.core.Seeded;
import io.sluice.core.limit.Concurrency;
import io.sluice.core.limit.FixedWindow;
import io.sluice.core.limit.Limit;
import io.sluice.core.limit.TokenBucket;
import io.sluice.core.spi.Demand;
import io.sluice.core.spi.Verdict;
import java.math.BigInteger;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * A clock that moves back and forth, by microseconds or by days, grants nothing extra. The measure is how far it moved forward:
 * a limit admits no more than on a clock that made only the forward steps.
 */
final class TimeStepsBackTest {

    private static final long LIFETIME = 1L << 51;

    @Test
    void aTokenBucketRefillsOnlyByWhatTimeWalkedForward() {
        Seeded random = Seeded.random("token bucket, time walks");
        for (long round = Seeded.scaled(100, 3_000); round > 0; round--) {
            TokenBucket limit =
                    Limit.named("x").tokenBucket(Driven.rate(random)).withBurst(random.magnitude(1, 1_000));
            BigInteger permits = BigInteger.valueOf(limit.rate().permits());
            BigInteger micros = BigInteger.valueOf(limit.rate().perMicros());
            BigInteger burst = BigInteger.valueOf(limit.capacity()).multiply(micros);
            Driven bucket = new Driven(limit);
            Walk walk = new Walk(random, Driven.span(limit));
            BigInteger admitted = BigInteger.ZERO;
            BigInteger least = null;
            for (int i = 0; i < 500; i++) {
                walk.step();
                BigInteger height =
                        admitted.multiply(micros).subtract(permits.multiply(BigInteger.valueOf(walk.forward)));
                least = least == null ? height : least.min(height);
                long granted = bucket.take(Demand.of(limit, "k", 1 + random.nextLong(limit.capacity())), walk.now);
                admitted = admitted.add(BigInteger.valueOf(granted));
                BigInteger rise =
                        height.add(BigInteger.valueOf(granted).multiply(micros)).subtract(least);
                assertThat(rise).as("%s: %s", random, limit).isLessThanOrEqualTo(burst);
            }
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {4, 6})
    void aStrictWindowHoldsItsLimitWhileTimeWalksForwardByItsLength(int kind) {
        Seeded random = Seeded.random("windows of kind " + kind + ", time walks");
        for (long round = Seeded.scaled(100, 3_000); round > 0; round--) {
            Limit limit = Driven.limit(random, kind);
            Driven count = new Driven(limit);
            Walk walk = new Walk(random, limit.windowMicros());
            ArrayDeque<long[]> window = new ArrayDeque<>();
            long sum = 0;
            for (int i = 0; i < 500; i++) {
                walk.step();
                while (!window.isEmpty() && window.peekFirst()[0] <= walk.forward - limit.windowMicros()) {
                    sum -= window.removeFirst()[1];
                }
                long granted = count.take(Demand.of(limit, "k", 1 + random.nextLong(limit.capacity())), walk.now);
                window.addLast(new long[] {walk.forward, granted});
                sum += granted;
                assertThat(sum).as("%s: %s", random, limit).isLessThanOrEqualTo(limit.capacity());
            }
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {2, 3})
    void aFixedWindowStartsAnewOnlyWhenTimeWalksForwardOverABoundary(int kind) {
        Seeded random = Seeded.random("fixed windows of kind " + kind + ", time walks");
        for (long round = Seeded.scaled(100, 3_000); round > 0; round--) {
            FixedWindow limit = (FixedWindow) Driven.limit(random, kind);
            Driven count = new Driven(limit);
            Walk walk = new Walk(random, limit.windowMicros());
            long sum = 0;
            for (int i = 0; i < 500; i++) {
                long before = walk.now;
                walk.step();
                if (limit.windows().at(before).endMicros() <= walk.now) {
                    sum = 0;
                }
                sum += count.take(Demand.of(limit, "k", 1 + random.nextLong(limit.capacity())), walk.now);
                assertThat(sum).as("%s: %s", random, limit).isLessThanOrEqualTo(limit.capacity());
            }
        }
    }

    @Test
    void noMoreThanTheLimitIsInFlightWhileTimeMovesForwardByItsTimeToLive() {
        Seeded random = Seeded.random("concurrency, time walks");
        for (long round = Seeded.scaled(100, 3_000); round > 0; round--) {
            Concurrency limit = (Concurrency) Driven.limit(random, 7);
            Driven count = new Driven(limit);
            Walk walk = new Walk(random, limit.windowMicros());
            List<long[]> flying = new ArrayList<>();
            for (int i = 0; i < 300; i++) {
                walk.step();
                flying.removeIf(held -> held[0] <= walk.forward - limit.windowMicros());
                Demand demand = Demand.of(limit, "k", 1 + random.nextLong(limit.capacity()))
                        .heldBy("h" + i);
                flying.add(new long[] {walk.forward, count.take(demand, walk.now)});
                assertThat(flying.stream().mapToLong(held -> held[1]).sum())
                        .as("%s: %s", random, limit)
                        .isLessThanOrEqualTo(limit.limit());
            }
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 4, 5, 6, 7})
    void nobodyStarvesForMoreThanASecondAfterAStepBackHoweverFar(int kind) {
        Seeded random = Seeded.random("starving, kind " + kind);
        for (long round = Seeded.scaled(100, 3_000); round > 0; round--) {
            Limit limit = Driven.limit(random, kind);
            Driven count = new Driven(limit);
            long now = Driven.NOW;
            for (int i = 0; i < 20; i++) {
                now += random.magnitude(1, Driven.span(limit));
                count.ask(Demand.of(limit, "k", 1 + random.nextLong(limit.capacity())), now);
            }
            long reset = count.look(Demand.of(limit, "k", 1), now).resetAfterMicros();
            now -= random.magnitude(1, 1_000_000_000_000L);
            Demand one = Demand.of(limit, "k", 1);
            Verdict verdict = count.ask(one, now);
            if (!verdict.fits()) {
                long longest = Math.max(reset == Verdict.NEVER ? 0 : reset, 2 * limit.windowMicros());
                assertThat(verdict.retryAfterMicros())
                        .as("%s: %s", random, limit)
                        .isLessThanOrEqualTo(longest + StepBack.CLAMPED_MICROS);
                // Nobody comes back after a lifetime, and counts do not look further ahead than two.
                if (verdict.retryAfterMicros() < LIFETIME) {
                    assertThat(count.look(one, now + verdict.retryAfterMicros()).fits())
                            .as("%s: %s after %d", random, limit, verdict.retryAfterMicros())
                            .isTrue();
                }
            }
        }
    }

    private static final class Walk {

        private final Seeded random;
        private final long span;
        private long now = Driven.NOW;
        private long forward;

        Walk(Seeded random, long span) {
            this.random = random;
            this.span = span;
        }

        void step() {
            long length =
                    switch (random.nextInt(8)) {
                        case 0 -> random.magnitude(1, span);
                        case 1 -> 1_000_000 + random.nextInt(3) - 1;
                        case 2 -> random.magnitude(1, 2_000_000);
                        case 3 -> random.oneIn(10) ? random.magnitude(1, 400L * 86_400_000_000L) : 1;
                        default -> 0;
                    };
            if (random.oneIn(3)) {
                now -= length;
            } else {
                now += length;
                forward += length;
            }
        }
    }
}
