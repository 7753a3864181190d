package io.sluice.center.http;

import java.time.Duration;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/**
 * Bounds how many requests do heavy work at a time. A few more wait for their turn, and all others are told at once that the center is
 * busy, because a request that waits holds one of the threads that answer requests. Thread-safe.
 */
public final class Turns {

    private final Semaphore free;
    private final Semaphore places;
    private final long patienceNanos;

    /**
     * Creates turns.
     *
     * @param atOnce how many work at a time
     * @param waiting how many wait at a time
     * @param patience how long one waits
     */
    public Turns(int atOnce, int waiting, Duration patience) {
        this.free = new Semaphore(atOnce);
        this.places = new Semaphore(waiting);
        this.patienceNanos = patience.toNanos();
    }

    /**
     * Does work when it is its turn.
     *
     * @param busy what is thrown if the turn does not come
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

    /** Returns how many wait now. */
    int waiting() {
        return free.getQueueLength();
    }
}
