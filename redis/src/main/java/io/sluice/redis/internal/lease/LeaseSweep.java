package io.sluice.redis.internal.lease;

import io.sluice.core.time.Clock;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BooleanSupplier;

/**
 * Runs a task every {@link #PERIOD} for as long as there is work, one run at a time. It runs on a thread of its own, so that it
 * does not delay timers. Thread-safe.
 */
final class LeaseSweep implements AutoCloseable {

    static final Duration PERIOD = Duration.ofMillis(50);

    private static final System.Logger LOG = System.getLogger(LeaseSweep.class.getName());

    private final Clock clock;
    private final Executor thread;
    private final BooleanSupplier task;
    private final AtomicBoolean running = new AtomicBoolean();
    private volatile boolean closed;

    /**
     * Creates a sweep.
     *
     * @param task returns whether there is more work
     */
    LeaseSweep(Clock clock, Executor thread, BooleanSupplier task) {
        this.clock = clock;
        this.thread = thread;
        this.task = task;
    }

    /** Starts the sweep unless it is running. */
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
        // Work that arrived after the task checked did not start the sweep, because the sweep was still running.
        if (isMore()) {
            start();
        }
    }

    /** Runs the task. If it fails, assumes that there is more work. */
    private boolean isMore() {
        try {
            return task.getAsBoolean();
        } catch (RuntimeException e) {
            LOG.log(Level.WARNING, "a sweep of leases failed and will be repeated", e);
            return true;
        }
    }

    @Override
    public void close() {
        closed = true;
    }
}
