package io.sluice.redis.internal.lease;

import io.sluice.core.time.Clock;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BooleanSupplier;

/**
 * Does something every {@link #PERIOD} for as long as there is something to do, once at a time, on a thread of its own so that alarms
 * are not kept waiting. Safe for use by many threads.
 */
final class LeaseSweep implements AutoCloseable {

    static final Duration PERIOD = Duration.ofMillis(50);

    private static final System.Logger LOG = System.getLogger(LeaseSweep.class.getName());

    private final Clock clock;
    private final Executor thread;
    private final BooleanSupplier task;
    private final AtomicBoolean running = new AtomicBoolean();
    private volatile boolean closed;

    /** @param task says whether there is more to do */
    LeaseSweep(Clock clock, Executor thread, BooleanSupplier task) {
        this.clock = clock;
        this.thread = thread;
        this.task = task;
    }

    /** Begins, unless it has begun. */
    void start() {
        if (!running.get() && running.compareAndSet(false, true)) {
            again();
        }
    }

    private void again() {
        if (!closed) {
            clock.at(clock.nanoTime() + PERIOD.toNanos(), this::handOver);
        }
    }

    private void handOver() {
        try {
            thread.execute(this::run);
        } catch (RejectedExecutionException e) {
            closed = true;
        }
    }

    private void run() {
        if (closed) {
            return;
        }
        if (isMore()) {
            again();
            return;
        }
        running.set(false);
        // What came since the task looked did not start it.
        if (isMore()) {
            start();
        }
    }

    /** A task that failed may not have come to its end. */
    private boolean isMore() {
        try {
            return task.getAsBoolean();
        } catch (RuntimeException e) {
            LOG.log(Level.WARNING, "a sweep of leases failed", e);
            return true;
        }
    }

    @Override
    public void close() {
        closed = true;
    }
}
