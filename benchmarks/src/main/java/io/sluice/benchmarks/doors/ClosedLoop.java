package io.sluice.benchmarks.doors;

import java.time.Duration;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.LongAdder;

/** Keeps a constant number of requests in flight. Each latency counts from the time at which its request was sent. */
final class ClosedLoop {

    private final OpenLoop.Sender sender;
    private final int inFlight;
    private final Semaphore free;
    private final LongAdder failed = new LongAdder();

    ClosedLoop(OpenLoop.Sender sender, int inFlight) {
        this.sender = sender;
        this.inFlight = inFlight;
        this.free = new Semaphore(inFlight);
    }

    /** Sends requests during {@code span}, and returns their latencies when all are answered. */
    Latencies run(Duration span) throws InterruptedException {
        Latencies latencies = new Latencies();
        long begin = System.nanoTime();
        for (long i = 0; System.nanoTime() - begin < span.toNanos(); i++) {
            free.acquire();
            long sent = System.nanoTime();
            sender.send(i, well -> {
                latencies.add(System.nanoTime() - sent);
                if (!well) {
                    failed.increment();
                }
                free.release();
            });
        }
        free.acquire(inFlight);
        free.release(inFlight);
        return latencies;
    }

    long failed() {
        return failed.sum();
    }
}
