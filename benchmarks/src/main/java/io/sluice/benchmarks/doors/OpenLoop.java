package io.sluice.benchmarks.doors;

import java.time.Duration;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.LockSupport;
import java.util.function.LongConsumer;
import java.util.function.LongSupplier;

/**
 * Sends requests at a constant rate, whatever becomes of those before. Each latency counts from the moment at which the request was
 * meant to be sent: a generator or a server that stands still lets all that was due meanwhile wait, and all of it is counted.
 */
final class OpenLoop {

    /** More than that under way is no load that is being served; the next are late, which their latencies tell. */
    private static final int MOST_UNDER_WAY = 20_000;

    /** Shorter than the shortest sleep of the system; nothing is sent in larger portions than come due in one. */
    private static final long SHORTEST_SLEEP_NANOS = 20_000;

    private final Sender sender;
    private final LongSupplier nanoTime;
    private final LongConsumer park;
    private final Semaphore underWay = new Semaphore(MOST_UNDER_WAY);
    private final LongAdder failed = new LongAdder();

    /** Sends the request with a number, and says whether it succeeded when it is answered, on any thread. */
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
     * With a time of its own.
     *
     * @param park waits for so many nanoseconds, more or less
     */
    OpenLoop(Sender sender, LongSupplier nanoTime, LongConsumer park) {
        this.sender = sender;
        this.nanoTime = nanoTime;
        this.park = park;
    }

    /** Sends for so long, and returns the latencies when everything is answered. */
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
