package io.sluice.redis.internal.lease;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.core.limit.Limit;
import io.sluice.core.limit.Rate;
import io.sluice.core.limit.SlidingWindow;
import io.sluice.core.spi.Answer;
import io.sluice.core.spi.Ask;
import io.sluice.core.spi.Demand;
import io.sluice.core.spi.EngineDecision;
import io.sluice.core.spi.LeasePolicy;
import io.sluice.core.spi.Outcome;
import io.sluice.core.spi.PendingOutcome;
import io.sluice.core.time.ManualClock;
import io.sluice.testkit.QuietClock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** A simulation of nodes that share one count: what leases save and what they cost. */
class LeaseFleetTest {

    private static final long RATE = 10_000;
    private static final long START_MICROS = 1_700_000_000_000_000L;

    /** The latency to the store, each way. */
    private static final Duration WAY = Duration.ofNanos(250_000);

    private static final LeasePolicy LEASE = new LeasePolicy(0, 0.1, 1_000_000);

    static List<Limit> limits() {
        Limit.Named named = Limit.named("fleet");
        return List.of(
                named.tokenBucket(Rate.perSecond(RATE)),
                named.leakyBucket(Rate.perSecond(RATE)),
                named.fixedWindow(RATE, Duration.ofSeconds(1)),
                named.slidingWindow(RATE, Duration.ofSeconds(1)));
    }

    static Stream<Arguments> fleets() {
        return limits().stream()
                .flatMap(limit -> Stream.of(
                        Arguments.of(limit, 4, 0.5, 0.01),
                        Arguments.of(limit, 4, 1.0, 0.01),
                        Arguments.of(limit, 4, 5.0, 0.01),
                        Arguments.of(limit, 32, 5.0, 0.12)));
    }

    @ParameterizedTest
    @MethodSource("fleets")
    void asksSeldomAndWastesLittle(Limit limit, int nodes, double load, double callsPerDecision) {
        Fleet fleet = new Fleet(limit, nodes, new Random(nodes));
        fleet.run(load, Duration.ofSeconds(2));
        fleet.warm();
        fleet.run(load, Duration.ofSeconds(4));
        Numbers numbers = fleet.numbers();
        System.out.printf("%-14s %2d nodes at %.1f: %s%n", limit.algorithm(), nodes, load, numbers);

        assertThat(numbers.calls()).isLessThanOrEqualTo(callsPerDecision);
        assertThat(fleet.admittedPerWindow())
                .allSatisfy(admitted -> assertThat(admitted).isLessThanOrEqualTo(most(limit)));
        if (load > 1) {
            assertThat(numbers.utilisation()).isBetween(0.97, 1.11);
        } else {
            // A strict sliding window counts its oldest slice in full, so it admits ten parts in eleven of an even
            // load.
            assertThat(numbers.admitted())
                    .isGreaterThanOrEqualTo(limit instanceof SlidingWindow && load == 1 ? 0.89 : 0.98);
        }
    }

    @ParameterizedTest
    @ValueSource(longs = {100, 1_000})
    void wastesLittleOfASmallBurst(long burst) {
        Limit limit = Limit.named("fleet").tokenBucket(Rate.perSecond(RATE)).withBurst(burst);
        Fleet fleet = new Fleet(limit, 4, new Random(1));
        fleet.run(5, Duration.ofSeconds(1));
        fleet.warm();
        fleet.run(5, Duration.ofSeconds(2));
        Numbers numbers = fleet.numbers();
        System.out.printf("burst of %d, 4 nodes at 5.0: %s%n", burst, numbers);

        assertThat(numbers.utilisation()).isBetween(0.9, 1.01);
    }

    /** The most that a second may admit, plus what was under way at its start. Leases of a fixed window end with it. */
    private static long most(Limit limit) {
        long out = LEASE.most(limit);
        long underWay = 20;
        return underWay
                + switch (limit.algorithm()) {
                    case "fixed_window" -> RATE;
                    case "sliding_window" -> RATE + out;
                    default -> limit.capacity() + RATE + out;
                };
    }

    private record Numbers(double calls, double admitted, double utilisation) {
        @Override
        public String toString() {
            return "calls per decision %.4f, admitted %.4f, utilisation %.4f".formatted(calls, admitted, utilisation);
        }
    }

    private static final class Fleet {

        private final Random random;
        private final ManualClock clock = QuietClock.at(START_MICROS);
        private final LeaseModel model =
                new LeaseModel(clock::epochMicros, task -> clock.at(clock.nanoTime() + WAY.toNanos(), task));
        private final List<Leases> nodes = new ArrayList<>();
        private final Ask ask;
        private final List<Long> admittedPerWindow = new ArrayList<>();
        private long decisions;
        private long admitted;
        private long decisionsThen;
        private long admittedThen;
        private long callsThen;
        private double secondsThen;

        Fleet(Limit limit, int size, Random random) {
            this.random = random;
            this.model.keepsAsks = false;
            this.ask = Ask.charging(List.of(Demand.of(limit, "k", 1).leasedBy(LEASE)));
            for (int i = 0; i < size; i++) {
                nodes.add(Leases.over(model.engine(), model, clock, LeaseListener.NONE, 100, new OnTheSpot()));
            }
        }

        void run(double load, Duration span) {
            long until = clock.nanoTime() + span.toNanos();
            double gapNanos = 1e9 / (RATE * load);
            long window = clock.nanoTime() / 1_000_000_000;
            long before = admitted;
            while (clock.nanoTime() < until) {
                clock.advance(Duration.ofNanos((long) (-Math.log(1 - random.nextDouble()) * gapNanos)));
                if (clock.nanoTime() / 1_000_000_000 != window) {
                    admittedPerWindow.add(admitted - before);
                    before = admitted;
                    window = clock.nanoTime() / 1_000_000_000;
                }
                decide(nodes.get(random.nextInt(nodes.size())));
            }
        }

        private void decide(Leases node) {
            decisions++;
            Answer answer = node.decide(ask);
            if (answer instanceof PendingOutcome pending) {
                pending.outcome().thenAccept(this::count);
            } else {
                count((Outcome) answer);
            }
        }

        private void count(Outcome outcome) {
            if (outcome instanceof EngineDecision decided && decided.allowed()) {
                admitted++;
            }
        }

        /** Starts counting now. */
        void warm() {
            decisionsThen = decisions;
            admittedThen = admitted;
            callsThen = model.calls;
            secondsThen = clock.nanoTime() / 1e9;
        }

        Numbers numbers() {
            double seconds = clock.nanoTime() / 1e9 - secondsThen;
            return new Numbers(
                    (double) (model.calls - callsThen) / (decisions - decisionsThen),
                    (double) (admitted - admittedThen) / (decisions - decisionsThen),
                    (admitted - admittedThen) / (RATE * seconds));
        }

        List<Long> admittedPerWindow() {
            return admittedPerWindow;
        }
    }
}
