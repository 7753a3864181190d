package io.sluice.center.identity;

import io.sluice.center.signin.TooManyAttemptsException;
import io.sluice.core.time.Clock;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;

/**
 * Delays refusals of directories until a whole number of seconds after the question. A directory answers faster for an unknown
 * name, because it compares no password. Without the delay, the time of an answer would reveal the known names. Thread-safe.
 */
final class EvenRefusals {

    private static final long STEP_NANOS = Duration.ofSeconds(1).toNanos();

    /** The maximum number of parallel questions, because waiting refusals block threads of the server. */
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

    /** Decides whether an answer is a refusal. */
    interface Refusal<T> {
        boolean is(T answer);
    }

    /**
     * Asks a question. A refusal returns only after a whole number of seconds, any other answer immediately.
     *
     * @throws TooManyAttemptsException if too many questions are waiting already; then the question is not asked
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
