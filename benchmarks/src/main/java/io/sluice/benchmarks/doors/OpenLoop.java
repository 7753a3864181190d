package io.sluice.benchmarks.doors;

import java.time.Duration;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.LockSupport;
import java.util.function.LongConsumer;
import java.util.function.LongSupplier;

/**
 * Sends requests at a constant rate, without waiting for earlier ones. Each latency counts from the time at which its request was
 * due. If the generator or the server stalls, the requests that come due meanwhile wait, and that wait is part of their latency.
 */
final class OpenLoop {

    /** With more requests in flight, the server cannot keep up. Further requests are sent late, which their latencies show. */
    private static final int MOST_UNDER_WAY = 20_000;

    /** Shorter than the shortest sleep of the system, so a batch never has more requests than come due during one sleep. */
    private static final long SHORTEST_SLEEP_NANOS = 20_000;

    private final Sender sender;
    private final LongSupplier nanoTime;
    private final LongConsumer park;
    private final Semaphore underWay = new Semaphore(MOST_UNDER_WAY);
    private final LongAdder failed = new LongAdder();

    /** Sends the request with the given number, and reports its outcome on any thread when it is answered. */
    @FunctionalInterface
    interface Sender {
        void send(long number, Outcome outcome);
    }

    @FunctionalInterface
    interface Outcome {
        void answered(boolean well);
    }

    OpenLoop(Sender sender) {
        this(sender, System::nanoTime, LockSupport::parkNanos);
    }

    /**
     * Creates a load with its own clock.
     *
     * @param park waits for about the given number of nanoseconds
     */
    OpenLoop(Sender sender, LongSupplier nanoTime, LongConsumer park) {
        this.sender = sender;
        this.nanoTime = nanoTime;
        this.park = park;
    }

    /** Sends requests during {@code span}, and returns their latencies when all are answered. */
    Latencies run(double perSecond, Duration span) throws InterruptedException {
        Latencies latencies = new Latencies();
        double everyNanos = 1e9 / perSecond;
        long count = (long) (span.toNanos() / everyNanos);
        long begin = nanoTime.getAsLong();
        for (long i = 0; i < count; i++) {
            long due = begin + (long) (i * everyNanos);
            sleepUntil(due);
            underWay.acquire();
            sender.send(i, well -> {
                latencies.add(nanoTime.getAsLong() - due);
                if (!well) {
                    failed.increment();
                }
                underWay.release();
            });
        }
        underWay.acquire(MOST_UNDER_WAY);
        underWay.release(MOST_UNDER_WAY);
        return latencies;
    }

    long failed() {
        return failed.sum();
    }

    private void sleepUntil(long due) {
        for (long left = due - nanoTime.getAsLong(); left > 0; left = due - nanoTime.getAsLong()) {
            park.accept(Math.max(SHORTEST_SLEEP_NANOS, left));
        }
    }
}
