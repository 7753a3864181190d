package io.sluice.center.http;

import java.time.Duration;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/**
 * Limits the requests that do heavy work at the same time. A few more requests wait for their turn. All others are refused immediately,
 * because a waiting request occupies one of the threads that answer requests. Thread-safe.
 */
public final class Turns {

    private final Semaphore free;
    private final Semaphore places;
    private final long patienceNanos;

    /**
     * Creates turns.
     *
     * @param atOnce the maximum number of requests that work at the same time
     * @param waiting the maximum number of requests that wait at the same time
     * @param patience the maximum wait of a request
     */
    public Turns(int atOnce, int waiting, Duration patience) {
        this.free = new Semaphore(atOnce);
        this.places = new Semaphore(waiting);
        this.patienceNanos = patience.toNanos();
    }

    /**
     * Runs work when its turn comes.
     *
     * @param busy the exception that is thrown if the turn does not come
     */
    public <T> T take(Supplier<T> work, Supplier<? extends RuntimeException> busy) {
        if (!begins()) {
            throw busy.get();
        }
        try {
            return work.get();
        } finally {
            free.release();
        }
    }

    private boolean begins() {
        if (free.tryAcquire()) {
            return true;
        }
        if (!places.tryAcquire()) {
            return false;
        }
        try {
            return free.tryAcquire(patienceNanos, TimeUnit.NANOSECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        } finally {
            places.release();
        }
    }

    /** Returns the number of requests that wait. */
    int waiting() {
        return free.getQueueLength();
    }
}
