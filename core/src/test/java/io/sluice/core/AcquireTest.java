package io.sluice.core;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.core.limit.Concurrency;
import io.sluice.core.limit.Limit;
import io.sluice.core.limit.Rate;
import io.sluice.core.local.LocalEngine;
import io.sluice.core.spi.Demand;
import io.sluice.core.time.Clock;
import io.sluice.core.time.ManualClock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The blocking variants, on real threads. */
@Timeout(300)
final class AcquireTest {

    private static final Duration SECOND = Duration.ofSeconds(1);
    /** Longer than any machine takes for a round here. It only ends a test that hangs. */
    private static final Duration PATIENCE = Duration.ofMinutes(2);

    private static final Limit BUCKET =
            Limit.named("bucket").tokenBucket(Rate.perSecond(1)).withBurst(1);
    private static final Limit WINDOW = Limit.named("window").fixedWindow(2, SECOND);
    private static final Concurrency TWO = Limit.named("two").concurrency(2, Duration.ofMinutes(10));

    private final ManualClock clock = ManualClock.at(1_790_000_000_000_000L);
    private final Limiter limiter = new Limiter(new LocalEngine(clock), clock, List.of());

    @Test
    void blocksUntilTheMomentHasCome() throws Exception {
        limiter.decide(WINDOW, "k", 2);
        Worker<Decision> wait = blocked(() -> limiter.acquire(WINDOW, "k", 1, SECOND));
        clock.advance(SECOND);
        assertThat(wait.result().allowed()).isTrue();
    }

    @Test
    void blocksUntilItsSlotHasCome() throws Exception {
        limiter.decide(BUCKET, "k", 1);
        Worker<Decision> wait = blocked(() -> limiter.acquire(BUCKET, "k", 1, SECOND));
        clock.advance(SECOND);
        assertThat(wait.result().allowed()).isTrue();
    }

    @Test
    void doesNotBlockWhenTheAnswerIsKnown() throws Exception {
        assertThat(limiter.acquire(BUCKET, "k", 1, SECOND).allowed()).isTrue();
        assertThat(limiter.acquire(List.of(Demand.of(BUCKET, "k", 1)), SECOND.minusMillis(1))
                        .allowed())
                .isFalse();
    }

    @Test
    void interruptionGivesBackTheSlotAndThePlace() throws Exception {
        limiter.decide(BUCKET, "k", 1);
        Worker<Decision> forSlot = blocked(() -> limiter.acquire(BUCKET, "k", 1, SECOND));
        Hold hold = limiter.hold(TWO, "k", 2);
        Worker<Hold> inLine = blocked(() -> limiter.hold(TWO, "k", 2, SECOND));
        forSlot.thread.interrupt();
        inLine.thread.interrupt();
        assertThatThrownBy(forSlot::result).hasCauseInstanceOf(InterruptedException.class);
        assertThatThrownBy(inLine::result).hasCauseInstanceOf(InterruptedException.class);
        assertThat(limiter.lines().waiting()).isZero();
        hold.close();
        assertThat(limiter.look(List.of(Demand.of(TWO, "k", 2))).allowed()).isTrue();
        clock.advance(SECOND);
        assertThat(limiter.look(List.of(Demand.of(BUCKET, "k", 1))).allowed()).isTrue();
    }

    @Test
    void doesNotAskForAThreadThatIsInterruptedAlready() {
        Thread.currentThread().interrupt();
        assertThatThrownBy(() -> limiter.acquire(BUCKET, "k", 1, SECOND)).isInstanceOf(InterruptedException.class);
        assertThat(Thread.interrupted()).isFalse();
        assertThat(limiter.decide(BUCKET, "k", 1).allowed()).isTrue();
    }

    @Test
    void waitsByTheSystemClockToo() throws Exception {
        try (Limiter real = Limiter.inProcess()) {
            Limit quick = Limit.named("quick").tokenBucket(Rate.perSecond(200)).withBurst(1);
            Limit quickLog = Limit.named("log").slidingLog(1, Duration.ofMillis(5));
            for (int i = 0; i < 10; i++) {
                assertThat(real.acquire(quick, "k", 1, PATIENCE).allowed()).isTrue();
                assertThat(real.acquire(quickLog, "k", 1, PATIENCE).allowed()).isTrue();
            }
        }
    }

    @Test
    void neverHasMoreInFlightThanTheLimitAndEverybodyFinishes() throws Exception {
        int threads = 16;
        int rounds = 2_000;
        Limiter real = Limiter.inProcess();
        Concurrency three = Limit.named("three").concurrency(3, Duration.ofMinutes(10));
        AtomicInteger inFlight = new AtomicInteger();
        AtomicInteger most = new AtomicInteger();
        List<Worker<Integer>> workers = new ArrayList<>();
        for (int t = 0; t < threads; t++) {
            workers.add(started(() -> {
                int done = 0;
                for (int i = 0; i < rounds; i++) {
                    int permits = 1 + ThreadLocalRandom.current().nextInt(3);
                    try (Hold hold = real.hold(three, "k", permits, PATIENCE)) {
                        if (hold.allowed()) {
                            most.accumulateAndGet(inFlight.addAndGet(permits), Math::max);
                            Thread.onSpinWait();
                            inFlight.addAndGet(-permits);
                            done++;
                        }
                    }
                }
                return done;
            }));
        }
        for (Worker<Integer> worker : workers) {
            assertThat(worker.result()).isEqualTo(rounds);
        }
        assertThat(most.get()).isBetween(1, 3);
        assertThat(real.lines().size()).isZero();
        assertThat(real.look(List.of(Demand.of(three, "k", 3))).allowed()).isTrue();
    }

    @Test
    void losesNoPermitWhenManyGiveUpWhileTheyAreServed() throws Exception {
        int threads = 8;
        Limiter real = new Limiter(new LocalEngine(Clock.system()), Clock.system(), List.of());
        Concurrency one = Limit.named("one").concurrency(1, Duration.ofMinutes(10));
        List<Worker<Integer>> workers = new ArrayList<>();
        for (int t = 0; t < threads; t++) {
            workers.add(started(() -> {
                int done = 0;
                for (int i = 0; i < 2_000; i++) {
                    var wait = real.holdAsync(one, "k" + i % 2, 1, PATIENCE);
                    if (ThreadLocalRandom.current().nextBoolean() && wait.cancel(false)) {
                        continue;
                    }
                    wait.get(PATIENCE.toSeconds(), TimeUnit.SECONDS).close();
                    done++;
                }
                return done;
            }));
        }
        for (Worker<Integer> worker : workers) {
            assertThat(worker.result()).isPositive();
        }
        assertThat(real.lines().size()).isZero();
        assertThat(real.hold(one, "k0", 1).allowed()).isTrue();
        assertThat(real.hold(one, "k1", 1).allowed()).isTrue();
    }

    private record Worker<T>(Thread thread, FutureTask<T> task) {
        T result() throws ExecutionException, InterruptedException {
            return task.get();
        }
    }

    private static <T> Worker<T> started(Callable<T> work) {
        FutureTask<T> task = new FutureTask<>(work);
        Thread thread = new Thread(task);
        thread.setDaemon(true);
        thread.start();
        return new Worker<>(thread, task);
    }

    /** Returns a worker that has started and now only waits. */
    private static <T> Worker<T> blocked(Callable<T> work) {
        Worker<T> wait = started(work);
        while (wait.thread.getState() != Thread.State.WAITING && !wait.task.isDone()) {
            Thread.onSpinWait();
        }
        assertThat(wait.task.isDone()).isFalse();
        return wait;
    }
}
