package io.sluice.core.algorithm;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.core.Seeded;
import io.sluice.core.limit.Limit;
import io.sluice.core.limit.SlidingWindow;
import io.sluice.core.spi.Demand;
import java.util.ArrayDeque;
import java.util.Arrays;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * How far the estimate of the weighted window is off. The figures that it prints are in docs/why/accuracy.md. An actual window
 * holds less than twice the limit. A caller that knows where the slices begin comes close to that, however many slices there
 * are.
 */
final class WeightedWindowTest {

    private static final long WINDOW = 1_000_000;
    private static final long LIMIT = 1_000;

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 10, 100})
    void aTrueWindowHoldsLessThanTwiceTheLimitWhateverAnAttackerTries(int slices) {
        Seeded random = Seeded.random("weighted window, attack on " + slices + " slices");
        SlidingWindow limit = Limit.named("x")
                .slidingWindow(LIMIT, Driven.micros(WINDOW))
                .withSlices(slices)
                .asEstimate();
        long[] best = new long[6];
        long worst = 0;
        for (long round = Seeded.scaled(1_000, 40_000); round > 0; round--) {
            long[] plan = mutated(random, best);
            long held = worstWindow(limit, plan);
            assertThat(held).as("%s: %s", random, Arrays.toString(plan)).isLessThan(2 * LIMIT);
            if (held >= worst) {
                worst = held;
                best = plan;
            }
        }
        System.out.printf(
                "weighted window, %d slices: an attacker gets %.1f %% over the limit into a true window%n",
                slices, percentOver(worst));
        assertThat(worst).as("%s: the search is worth its name", random).isGreaterThan(LIMIT * 3 / 2);
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 10, 100})
    void callersThatDoNotAimAtSlicesGetFarLess(int slices) {
        Seeded random = Seeded.random("weighted window, ordinary traffic on " + slices + " slices");
        SlidingWindow limit = Limit.named("x")
                .slidingWindow(LIMIT, Driven.micros(WINDOW))
                .withSlices(slices)
                .asEstimate();
        Demand one = Demand.of(limit, "k", 1);
        long worst = 0;
        for (double load : new double[] {1, 1.5, 3, 10}) {
            Driven count = new Driven(limit);
            Held held = new Held();
            double now = Driven.NOW;
            for (long i = Seeded.scaled(200_000); i > 0; i--) {
                now += -Math.log(1 - random.nextDouble()) * WINDOW / LIMIT / load;
                held.add((long) now, count.take(one, (long) now));
            }
            worst = Math.max(worst, held.most);
        }
        System.out.printf(
                "weighted window, %d slices: steady random traffic gets %.1f %% over the limit into a true window%n",
                slices, percentOver(worst));
        assertThat(worst).as("%s", random).isLessThan(2 * LIMIT);
    }

    /** Three bursts, each as large as there is room for; the plan says when each starts and over how long it is spread. */
    private static long worstWindow(SlidingWindow limit, long[] plan) {
        Driven count = new Driven(limit);
        Demand all = Demand.of(limit, "k", LIMIT).orAtLeast(1);
        Held held = new Held();
        long start = Math.floorDiv(Driven.NOW, limit.sliceMicros()) * limit.sliceMicros();
        long at = start;
        for (int burst = 0; burst < 3; burst++) {
            at += plan[2 * burst];
            long end = at + plan[2 * burst + 1];
            long step = Math.max(1, (end - at) / 50);
            for (; at <= end; at += step) {
                held.add(at, count.take(all, at));
            }
        }
        return held.most;
    }

    private static long[] mutated(Seeded random, long[] plan) {
        long[] next = plan.clone();
        int gene = random.nextInt(next.length);
        next[gene] = switch (random.nextInt(3)) {
            case 0 -> random.nextLong(2 * WINDOW);
            case 1 -> Math.max(0, next[gene] + random.magnitude(1, WINDOW) * (random.nextBoolean() ? 1 : -1));
            default -> random.nextInt(2);
        };
        return next;
    }

    private static double percentOver(long held) {
        return 100.0 * (held - LIMIT) / LIMIT;
    }

    private static final class Held {

        private final ArrayDeque<long[]> window = new ArrayDeque<>();
        private long sum;
        private long most;

        void add(long at, long permits) {
            while (!window.isEmpty() && window.peekFirst()[0] <= at - WINDOW) {
                sum -= window.removeFirst()[1];
            }
            window.addLast(new long[] {at, permits});
            sum += permits;
            most = Math.max(most, sum);
        }
    }
}
