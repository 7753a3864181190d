package io.sluice.redis.internal.cluster;

import io.sluice.core.time.Clock;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Repeats a task, one run at a time, with a pause in between. It can be asked to run sooner, but never sooner than the shortest
 * pause after its last start. Thread-safe.
 */
final class RepeatedTask implements AutoCloseable {

    private static final System.Logger LOG = System.getLogger(RepeatedTask.class.getName());
    private static final Duration AFTER_FAILURE = Duration.ofSeconds(1);

    private final Clock clock;
    private final long shortestNanos;
    private final Supplier<CompletionStage<Duration>> task;
    private boolean running;
    private boolean again;
    private boolean closed;
    private long beganNanos;
    private long dueNanos;
    private Clock.@Nullable Alarm alarm;

    /**
     * Creates a task that does not run yet.
     *
     * @param task the task; it completes with the pause before the next run. If it fails, it is repeated after a second
     */
    RepeatedTask(Clock clock, Duration shortest, Supplier<CompletionStage<Duration>> task) {
        this.clock = clock;
        this.shortestNanos = shortest.toNanos();
        this.task = task;
        this.beganNanos = clock.nanoTime() - shortestNanos;
    }

    /** Runs the task now, or as soon as allowed. */
    synchronized void soon() {
        if (running) {
            again = true;
        } else {
            in(0);
        }
    }

    private synchronized void in(long nanos) {
        long now = clock.nanoTime();
        long due = Math.max(nanos, beganNanos + shortestNanos - now) + now;
        if (closed || (alarm != null && dueNanos - due <= 0)) {
            return;
        }
        if (alarm != null) {
            alarm.cancel();
        }
        dueNanos = due;
        alarm = clock.at(due, this::run);
    }

    @SuppressWarnings("FutureReturnValueIgnored") // done() handles failures
    private void run() {
        synchronized (this) {
            if (running || closed) {
                return;
            }
            running = true;
            again = false;
            alarm = null;
            beganNanos = clock.nanoTime();
        }
        CompletionStage<Duration> begun;
        try {
            begun = task.get();
        } catch (RuntimeException e) {
            begun = CompletableFuture.failedFuture(e);
        }
        begun.whenComplete(this::done);
    }

    private synchronized void done(@Nullable Duration pause, @Nullable Throwable failure) {
        running = false;
        if (failure != null) {
            LOG.log(Level.WARNING, "a repeated task failed and will be tried again", failure);
        }
        in(again ? 0 : pause == null ? AFTER_FAILURE.toNanos() : pause.toNanos());
    }

    @Override
    public synchronized void close() {
        closed = true;
        if (alarm != null) {
            alarm.cancel();
        }
    }
}
