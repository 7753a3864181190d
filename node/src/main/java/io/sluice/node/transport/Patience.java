package io.sluice.node.transport;

import java.time.Duration;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** Waits with a timeout. */
public final class Patience {

    private Patience() {}

    public static <T> void await(Future<T> future, Duration atMost) throws ExecutionException, TimeoutException {
        try {
            future.get(atMost.toMillis(), TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new CompletionException(e);
        }
    }
}
