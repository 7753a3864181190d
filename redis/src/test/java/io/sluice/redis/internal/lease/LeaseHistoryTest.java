package io.sluice.redis.internal.lease;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.core.limit.Limit;
import io.sluice.core.spi.Answer;
import io.sluice.core.spi.Ask;
import io.sluice.core.spi.Charge;
import io.sluice.core.spi.Demand;
import io.sluice.core.spi.EngineDecision;
import io.sluice.core.spi.LeasePolicy;
import io.sluice.core.spi.Outcome;
import io.sluice.core.spi.PendingOutcome;
import io.sluice.core.time.ManualClock;
import io.sluice.redis.internal.lease.LeaseModel.Mood;
import io.sluice.testkit.QuietClock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.IntConsumer;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Random histories of a few nodes: the charges match what was admitted, nothing is lost for good, and nothing is returned twice.
 */
class LeaseHistoryTest {

    private static final long LIMIT = 3_000;
    private static final int ROUNDS = 30;

    static List<Limit> limits() {
        return List.of(
                Limit.named("l").fixedWindow(LIMIT, Duration.ofDays(1)),
                Limit.named("l").slidingWindow(LIMIT, Duration.ofDays(1)));
    }

    @ParameterizedTest
    @MethodSource("limits")
    void whateverIsLateAllIsAccountedForInTheEnd(Limit limit) {
        long seed = seed();
        inRounds(round -> {
            History history = new History(limit, new Random(seed + round), List.of(Mood.ANSWERS, Mood.LATE));
            history.play(1_500);
            assertThat(LIMIT - history.remaining())
                    .as("seed %d, round %d", seed, round)
                    .isEqualTo(history.admitted);
        });
    }

    @ParameterizedTest
    @MethodSource("limits")
    void whateverIsLostNothingIsAdmittedThatWasNotCharged(Limit limit) {
        long seed = seed();
        inRounds(round -> {
            History history = new History(limit, new Random(seed + round), List.of(Mood.values()));
            history.play(1_500);
            assertThat(LIMIT - history.remaining())
                    .as("seed %d, round %d", seed, round)
                    .isGreaterThanOrEqualTo(history.admitted);
            assertThat(history.admitted).isLessThanOrEqualTo(LIMIT);
        });
    }

    @Test
    void aLimitThatIsUsedUpStaysSo() {
        Limit small = Limit.named("l").fixedWindow(100, Duration.ofDays(1));
        History history = new History(small, new Random(1), List.of(Mood.ANSWERS));
        history.play(3_000);
        assertThat(history.admitted).isEqualTo(100 - history.remaining()).isGreaterThan(50);
    }

    /** Plays the rounds beside each other: a node that closes waits a second for an answer that is lost. */
    private static void inRounds(IntConsumer round) {
        ExecutorService threads = Executors.newFixedThreadPool(ROUNDS);
        try {
            CompletableFuture.allOf(IntStream.range(0, ROUNDS)
                            .mapToObj(i -> CompletableFuture.runAsync(() -> round.accept(i), threads))
                            .toArray(CompletableFuture[]::new))
                    .join();
        } finally {
            threads.shutdown();
        }
    }

    private static long seed() {
        long seed = Long.getLong("sluice.tests.seed", new Random().nextLong());
        System.out.println("LeaseHistoryTest: seed " + seed);
        return seed;
    }

    private static final class History {

        private final ManualClock clock = QuietClock.at(1_700_006_400_000_000L);
        private final LeaseModel model = new LeaseModel(clock::epochMicros, Runnable::run);
        private final List<Leases> nodes = new ArrayList<>();
        private final Limit limit;
        private final Random random;
        private final List<Mood> moods;
        private final List<Charge> open = new ArrayList<>();
        long admitted;

        /** How much was reported as spent, by lease. */
        private final Map<String, Long> spent = new HashMap<>();

        private final LeaseListener tally = new LeaseListener() {
            @Override
            public void spent(Ask ask, String count, String lease, long permits, long nowNanos, long endsNanos) {
                assertThat(nowNanos).isLessThan(endsNanos);
                spent.merge(lease, permits, Long::sum);
            }

            @Override
            public void unspent(
                    String ask, Limit limit, String key, String lease, long permits, long nowNanos, long endsNanos) {
                spent.merge(lease, -permits, Long::sum);
            }
        };

        History(Limit limit, Random random, List<Mood> moods) {
            this.limit = limit;
            this.random = random;
            this.moods = moods;
            for (int i = 0; i < 3; i++) {
                nodes.add(Leases.over(model.engine(), model, clock, tally, 10, new OnTheSpot()));
            }
        }

        long remaining() {
            return model.remaining(limit, "k");
        }

        void play(int steps) {
            for (int i = 0; i < steps; i++) {
                step();
            }
            model.setMood(Mood.ANSWERS);
            model.deliver();
            clock.advance(Duration.ofSeconds(10));
            model.deliver();
            nodes.forEach(Leases::close);
            assertThat(model.ended).allSatisfy(ended -> assertThat(spent.getOrDefault(ended.lease(), 0L))
                    .isEqualTo(ended.spent()));
        }

        private void step() {
            Leases node = nodes.get(random.nextInt(nodes.size()));
            switch (random.nextInt(12)) {
                case 0 -> clock.advance(Duration.ofMillis(random.nextInt(random.nextBoolean() ? 1_200 : 60)));
                case 1 -> model.setMood(moods.get(random.nextInt(moods.size())));
                case 2 -> {
                    if (random.nextBoolean()) {
                        model.deliver();
                    } else {
                        model.deliverReversed();
                    }
                }
                case 3 -> giveBack(node);
                default -> decide(node);
            }
        }

        private void decide(Leases node) {
            LeasePolicy policy =
                    new LeasePolicy(random.nextInt(4) == 0 ? 40 : 0, random.nextBoolean() ? 0.2 : 1, 500_000);
            List<Demand> demands = new ArrayList<>();
            demands.add(Demand.of(limit, "k", 1 + random.nextInt(3)).leasedBy(policy));
            if (random.nextInt(4) == 0) {
                demands.add(Demand.of(Limit.named("other").slidingLog(40, Duration.ofSeconds(1)), "k", 1));
            }
            Ask ask = Ask.charging(demands);
            for (int i = random.nextInt(6); i >= 0; i--) {
                Answer answer = node.decide(ask);
                if (answer instanceof PendingOutcome pending) {
                    pending.outcome().thenAccept(outcome -> heard(ask, outcome));
                } else {
                    heard(ask, (Outcome) answer);
                }
            }
        }

        private void heard(Ask ask, Outcome outcome) {
            if (outcome instanceof EngineDecision decided && decided.allowed()) {
                admitted += decided.verdicts().get(0).granted();
                open.add(decided.charges(ask).get(0));
            }
        }

        /** A lost refund leaves the charge in place. */
        private void giveBack(Leases node) {
            if (!open.isEmpty()) {
                Charge charge = open.remove(random.nextInt(open.size()));
                admitted -= charge.permits();
                node.giveBack(List.of(charge));
            }
        }
    }
}
