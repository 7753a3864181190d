package io.sluice.node.gateway.auth;

import io.sluice.node.gateway.auth.TokenCheck.Outcome;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/**
 * Checks tokens on separate threads, so that a flood of forged tokens delays only callers whose tokens are new. The number of waiting
 * tokens is bounded; tokens beyond it are not checked. Idle threads end by themselves. Thread-safe.
 */
final class TokenThreads {

    private static final int MOST_WAITING = 1_024;
    private static final long IDLE_SECONDS = 10;

    private final ThreadPoolExecutor threads;

    TokenThreads() {
        this(Math.max(1, Runtime.getRuntime().availableProcessors() / 2), MOST_WAITING);
    }

    TokenThreads(int count, int mostWaiting) {
        threads = new ThreadPoolExecutor(
                count, count, IDLE_SECONDS, TimeUnit.SECONDS, new ArrayBlockingQueue<>(mostWaiting), task -> {
                    Thread thread = new Thread(task, "sluice-tokens");
                    thread.setDaemon(true);
                    return thread;
                });
        threads.allowCoreThreadTimeOut(true);
    }

    /** Runs a check. The outcome is {@link Outcome.NotChecked} if too many are waiting. */
    CompletionStage<Outcome> run(Supplier<Outcome> check) {
        try {
            return CompletableFuture.supplyAsync(check, threads);
        } catch (RejectedExecutionException e) {
            return CompletableFuture.completedFuture(new Outcome.NotChecked());
        }
    }
}
