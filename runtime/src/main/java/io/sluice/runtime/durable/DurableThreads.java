package io.sluice.runtime.durable;

import java.time.Duration;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The threads of durable limits. A process may end while they run. */
final class DurableThreads {

    private static final Logger LOG = LoggerFactory.getLogger(DurableThreads.class);

    private DurableThreads() {}

    static ScheduledExecutorService daemon(String name) {
        ScheduledThreadPoolExecutor threads = new ScheduledThreadPoolExecutor(1, task -> {
            Thread thread = new Thread(task, name);
            thread.setDaemon(true);
            return thread;
        });
        threads.setRemoveOnCancelPolicy(true);
        return threads;
    }

    /** Runs a repeated task, and catches every failure, because an uncaught failure would silently end the repetition. */
    static void quietly(Runnable task) {
        try {
            task.run();
        } catch (RuntimeException | Error e) {
            LOG.warn("a task of durable limits failed", e);
        }
    }

    /** Waits for the end of threads that were shut down. Returns false if the time limit was exceeded. */
    static boolean await(ExecutorService threads, Duration mayTake) {
        try {
            return threads.awaitTermination(mayTake.toMillis(), TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }
}
