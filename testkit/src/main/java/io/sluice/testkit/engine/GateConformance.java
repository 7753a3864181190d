package io.sluice.testkit.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.core.limit.Limit;
import io.sluice.core.limit.Rate;
import io.sluice.core.limit.TokenBucket;
import io.sluice.core.local.Gate;
import io.sluice.core.spi.Verdict;
import io.sluice.core.time.Clock;
import io.sluice.core.time.ManualClock;
import io.sluice.testkit.QuietClock;
import io.sluice.testkit.SeededRandom;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

/**
 * The contract of every token bucket gate as tests. Extend this class, return your gate from {@link #open}, and return from {@link
 * #outstanding} the part that it may have outstanding. No interval may admit more than {@code burst + rate × t} plus this part.
 */
public abstract class GateConformance {

    private static final long NOW = 1_790_000_000_000_000L;
    private static final int THREADS = 8;
    private static final int STEPS = 4_000;

    /** Opens a gate on an unused count. */
    protected abstract Gate open(TokenBucket limit, Clock clock);

    /** The part of the burst that may be charged but unspent; 0 for an exact gate. */
    protected abstract double outstanding();

    @Test
    void noIntervalHoldsMoreThanItsBound() throws Exception {
        for (int round = 0; round < 5; round++) {
            Traffic traffic = new Traffic(SeededRandom.of("noIntervalHoldsMoreThanItsBound"));
            traffic.run();
            assertThat(traffic.mostInExcess())
                    .as("%s", traffic.limit)
                    .isLessThanOrEqualTo(traffic.limit.capacity() * (1 + outstanding()));
            assertThat(traffic.passed())
                    .as("nothing is handed out twice")
                    .isLessThanOrEqualTo(traffic.limit.capacity() + traffic.flowed());
        }
    }

    @Test
    void refusesALoneCallerOnlyIfNothingIsLeft() {
        ManualClock clock = QuietClock.at(NOW);
        Gate gate = open(bucket(1_000, Rate.perDay(1)), clock);
        for (int i = 0; i < 1_000; i++) {
            assertThat(i % 3 == 0 ? gate.pass(1).fits() : gate.tryPass(1))
                    .as("permit %d", i)
                    .isTrue();
        }
        assertThat(gate.tryPass(1)).isFalse();
        Verdict refused = gate.pass(1);
        assertThat(refused.fits()).isFalse();
        assertThat(refused.remaining()).isZero();
        assertThat(refused.retryAfterMicros()).isPositive();
        clock.advance(Duration.of(refused.retryAfterMicros(), ChronoUnit.MICROS));
        assertThat(gate.tryPass(1)).isTrue();
    }

    @Test
    void manyThreadsGetTheBurstAndNoMore() throws Exception {
        int burst = 100_000;
        Gate gate = open(bucket(burst, Rate.perDay(1)), QuietClock.at(NOW));
        AtomicLong passed = new AtomicLong();
        ExecutorService threads = Executors.newFixedThreadPool(THREADS);
        try {
            List<Future<?>> all = new ArrayList<>();
            for (int i = 0; i < THREADS; i++) {
                all.add(threads.submit(() -> {
                    for (int j = 0; j < 2 * burst / THREADS; j++) {
                        passed.addAndGet(gate.tryPass(1) ? 1 : 0);
                    }
                }));
            }
            for (Future<?> each : all) {
                each.get(10, TimeUnit.MINUTES);
            }
        } finally {
            threads.shutdown();
        }
        while (gate.tryPass(1)) {
            passed.incrementAndGet();
        }
        assertThat(passed).hasValue(burst);
    }

    @Test
    void refusesWhatCanNeverFitAndWhatIsNoNumberOfPermits() {
        Gate gate = open(bucket(1_000, Rate.perDay(1)), QuietClock.at(NOW));
        assertThat(gate.tryPass(1_001)).isFalse();
        assertThat(gate.pass(1_001).retryAfterMicros()).isEqualTo(Verdict.NEVER);
        assertThat(gate.tryPass(Limit.MAX_PERMITS)).isFalse();
        for (long none : new long[] {0, -1, Limit.MAX_PERMITS + 1}) {
            assertThatThrownBy(() -> gate.tryPass(none)).isInstanceOf(IllegalArgumentException.class);
            assertThatThrownBy(() -> gate.pass(none)).isInstanceOf(IllegalArgumentException.class);
        }
        assertThat(gate.tryPass(1_000)).isTrue();
    }

    private static TokenBucket bucket(long burst, Rate rate) {
        return Limit.named("gate").tokenBucket(rate).withBurst(burst);
    }

    /** Steps of several threads, one after the other, so that each has its own stripe and time stands still during a step. */
    private final class Traffic {

        private final SeededRandom random;
        private final ManualClock clock = QuietClock.at(NOW);
        private final List<ExecutorService> threads = new ArrayList<>();
        private final long perSecond;
        private double level;
        private double most;
        private long passed;
        final TokenBucket limit;

        Traffic(SeededRandom random) {
            this.random = random;
            this.perSecond = 1L + random.nextInt(10_000);
            this.limit = bucket(500 + random.nextInt(5_000), Rate.perSecond(perSecond));
        }

        void run() throws Exception {
            Gate gate = open(limit, clock);
            for (int i = 0; i < THREADS; i++) {
                threads.add(Executors.newSingleThreadExecutor());
            }
            try {
                for (int i = 0; i < STEPS; i++) {
                    step(gate);
                }
            } finally {
                threads.forEach(ExecutorService::shutdown);
            }
        }

        /** Sends mostly bursts, with an occasional pause in which the bucket refills while permits are outstanding. */
        private void step(Gate gate) throws Exception {
            if (random.nextInt(20) == 0) {
                long micros = (long) (random.nextDouble() * 2 * limit.capacity() / perSecond * 1e6);
                clock.advance(Duration.of(micros, ChronoUnit.MICROS));
                level = Math.max(0, level - perSecond * micros / 1e6);
                return;
            }
            long permits = 1L + random.nextInt(100);
            boolean tells = random.nextInt(4) == 0;
            boolean fits = threads.get(random.nextInt(THREADS))
                    .submit(() -> tells ? gate.pass(permits).fits() : gate.tryPass(permits))
                    .get(10, TimeUnit.MINUTES);
            if (fits) {
                passed += permits;
                level += permits;
                most = Math.max(most, level);
            }
        }

        /** Returns the largest number of permits that an interval admitted beyond the permits refilled in it. */
        double mostInExcess() {
            return most;
        }

        double passed() {
            return passed;
        }

        double flowed() {
            return perSecond * (clock.epochMicros() - NOW) / 1e6;
        }
    }
}
