package io.sluice.runtime.versions;

import io.sluice.rules.evaluate.Evaluator;
import io.sluice.rules.evaluate.Permit;
import io.sluice.rules.evaluate.Ruling;
import io.sluice.rules.pattern.Attributes;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * Threads that send requests of one user to several nodes. They ask for one to three permits of one or two limits, sometimes only
 * look, give some charges back, and release or renew some held permits. If the store is too slow for that on a busy machine, they
 * go on: the store does it later, and it is recorded then.
 */
final class Callers implements AutoCloseable {

    private static final int THREADS = 4;
    private static final int REQUESTS_PER_THREAD = 25;

    /** How many requests all threads together send in a round. */
    static final int REQUESTS_PER_ROUND = THREADS * REQUESTS_PER_THREAD;

    private final List<Evaluator> nodes;
    private final Random random;
    private final ExecutorService threads = Executors.newFixedThreadPool(THREADS);

    Callers(List<Evaluator> nodes, Random random) {
        this.nodes = List.copyOf(nodes);
        this.random = random;
    }

    /** Sends a round of requests and waits for all of their answers. */
    void round() {
        List<Future<?>> all = new ArrayList<>();
        for (int i = 0; i < THREADS; i++) {
            Random own = new Random(random.nextLong());
            all.add(threads.submit(() -> send(own)));
        }
        try {
            for (Future<?> each : all) {
                each.get(5, TimeUnit.MINUTES);
            }
        } catch (InterruptedException | ExecutionException | TimeoutException e) {
            throw new IllegalStateException("a round of requests failed", e);
        }
    }

    private void send(Random own) {
        List<CompletableFuture<?>> answers = new ArrayList<>();
        for (int i = 0; i < REQUESTS_PER_THREAD; i++) {
            Evaluator node = nodes.get(own.nextInt(nodes.size()));
            Attributes request = Attributes.of(Map.of("user", "u-17", "asks", asks(own)));
            int next = own.nextInt(6);
            answers.add(node.evaluate(request, own.nextInt(10) == 0 ? 0 : 1 + own.nextInt(3))
                    .thenCompose(ruling -> after(node, ruling, next).exceptionally(late -> null))
                    .toCompletableFuture());
        }
        answers.forEach(CompletableFuture::join);
    }

    private static String asks(Random own) {
        List<String> all = TwoVersions.ALGORITHMS;
        String one = all.get(own.nextInt(all.size()));
        return own.nextInt(5) == 0 ? one + " " + all.get(own.nextInt(all.size())) : one;
    }

    private static CompletionStage<?> after(Evaluator node, Ruling ruling, int next) {
        if (ruling instanceof Ruling.Settled settled && settled.allowed() && !settled.looked()) {
            Permit permit = settled.permit();
            if (next == 0) {
                return node.giveBack(settled);
            } else if (next < 4 && permit != null) {
                return next == 1 ? node.renew(permit) : node.release(permit);
            }
        }
        return CompletableFuture.completedStage(null);
    }

    @Override
    public void close() {
        threads.shutdownNow();
    }
}
