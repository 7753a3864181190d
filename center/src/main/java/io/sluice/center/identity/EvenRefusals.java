package io.sluice.center.identity;

import io.sluice.center.signin.TooManyAttemptsException;
import io.sluice.core.time.Clock;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;

/**
 * Lets refusals of directories leave a whole number of seconds after the question. A directory needs less time for a name that it does
 * not know, because it compares no password; without this, the time of an answer tells which names it knows. Thread-safe.
 */
final class EvenRefusals {

    private static final long STEP_NANOS = Duration.ofSeconds(1).toNanos();

    /** Refusals that wait keep threads of the server waiting. */
    private static final int MAX_AT_ONCE = 16;

    private static final Duration RETRY = Duration.ofSeconds(2);

    private final Clock clock;
    private final Semaphore free = new Semaphore(MAX_AT_ONCE);

    EvenRefusals(Clock clock) {
        this.clock = clock;
    }

    /** A question whose answer may be a refusal. */
    interface Question<T> {
        T ask();
    }

    /** Tells whether an answer is a refusal. */
    interface Refusal<T> {
        boolean is(T answer);
    }

    /**
     * Asks, and returns a refusal only at a whole second. Another answer returns at once.
     *
     * @throws TooManyAttemptsException if many questions wait already; then nothing is asked
     */
    <T> T even(Question<T> question, Refusal<T> refusal) {
        if (!free.tryAcquire()) {
            throw new TooManyAttemptsException(RETRY);
        }
        try {
            long began = clock.nanoTime();
            T answer = question.ask();
            if (refusal.is(answer)) {
                long took = clock.nanoTime() - began;
                await(began + (took / STEP_NANOS + 1) * STEP_NANOS);
            }
            return answer;
        } finally {
            free.release();
        }
    }

    private void await(long atNanos) {
        CountDownLatch reached = new CountDownLatch(1);
        Clock.Alarm alarm = clock.at(atNanos, reached::countDown);
        try {
            reached.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } finally {
            alarm.cancel();
        }
    }
}
