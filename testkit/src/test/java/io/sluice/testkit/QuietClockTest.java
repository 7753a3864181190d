package io.sluice.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.LongSupplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(600)
class QuietClockTest {

    private static final Duration HOUR = Duration.ofHours(1);

    private final QuietClock clock = QuietClock.at(0);
    private final ExecutorService program = Executors.newSingleThreadExecutor();
    private final CountDownLatch begun = new CountDownLatch(1);
    private volatile Thread mover;

    @AfterEach
    void close() {
        program.shutdown();
    }

    @Test
    void aThreadThatRunsMeasuresNoMove() throws Exception {
        assertThat(measuredDuringAMove(() -> clock.advance(HOUR), clock::nanoTime))
                .isZero();
        assertThat(clock.nanoTime()).isEqualTo(HOUR.toNanos());
    }

    @Test
    void aThreadThatRunsMeasuresNoStepOfTheWallClock() throws Exception {
        assertThat(measuredDuringAMove(() -> clock.stepWall(HOUR), clock::epochMicros))
                .isZero();
        assertThat(clock.epochMicros()).isEqualTo(HOUR.toMillis() * 1_000);
    }

    @Test
    void eachAlarmFindsTheWorkOfTheOneBeforeDone() throws Exception {
        program.submit(clock::nanoTime).get();
        CountDownLatch handedOver = new CountDownLatch(1);
        long[] measured = new long[1];
        clock.at(1_000, () -> {
            program.execute(() -> {
                long before = clock.nanoTime();
                handedOver.countDown();
                awaitMover(before, clock::nanoTime);
                measured[0] = clock.nanoTime() - before;
            });
            await(handedOver);
        });
        long[] seen = {-1};
        clock.at(2_000, () -> seen[0] = measured[0]);
        mover = Thread.currentThread();
        clock.advance(HOUR);
        assertThat(seen[0]).isZero();
    }

    @Test
    void aThreadThatWaitsForAResultIsNotIdleUnlessTheTestSaysSo() throws Exception {
        CountDownLatch result = new CountDownLatch(1);
        Future<Long> measured = program.submit(() -> {
            long before = clock.nanoTime();
            begun.countDown();
            result.await();
            return clock.nanoTime() - before;
        });
        begun.await();
        clock.advanceMeanwhile(HOUR);
        result.countDown();
        assertThat(measured.get()).isEqualTo(HOUR.toNanos());
    }

    @Test
    void aThreadThatWaitsForThisClockIsIdle() throws Exception {
        CompletableFuture<Long> rung = new CompletableFuture<>();
        Future<Long> waited = program.submit(() -> {
            clock.at(1_000, () -> rung.complete(clock.nanoTime()));
            clock.at(2_000, () -> {}).cancel();
            begun.countDown();
            return rung.get();
        });
        begun.await();
        clock.advance(HOUR);
        assertThat(waited.get()).isEqualTo(1_000);
    }

    @Test
    void idleThreadsAndThreadsThatHaveEndedDoNotHinderIt() throws Exception {
        program.submit(clock::nanoTime).get();
        Thread ended = new Thread(clock::nanoTime);
        ended.start();
        ended.join();
        clock.advance(HOUR);
        assertThat(clock.nanoTime()).isEqualTo(HOUR.toNanos());
    }

    /** Returns what a thread measures that reads the clock, lets the test move it, and reads it again. */
    private long measuredDuringAMove(Runnable move, LongSupplier time) throws ExecutionException, InterruptedException {
        mover = Thread.currentThread();
        Future<Long> measured = program.submit(() -> {
            long before = time.getAsLong();
            begun.countDown();
            awaitMover(before, time);
            return time.getAsLong() - before;
        });
        begun.await();
        move.run();
        return measured.get();
    }

    /** Runs until the mover waits, or has moved the clock. */
    private void awaitMover(long before, LongSupplier time) {
        while (mover.getState() != Thread.State.TIMED_WAITING && time.getAsLong() == before) {
            Thread.onSpinWait();
        }
    }

    private static void await(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }
}
