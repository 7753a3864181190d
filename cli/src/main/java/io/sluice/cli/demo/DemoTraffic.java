package io.sluice.cli.demo;

import io.sluice.core.time.Clock;
import java.io.IOException;
import java.net.InetAddress;
import java.net.URI;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Sends the requests of sample callers through a gateway, several times a second. Never waits: a gateway that does not answer gets few
 * requests, and missed requests are not sent later. Thread-safe.
 */
final class DemoTraffic implements AutoCloseable {

    private static final Duration PAUSE = Duration.ofMillis(100);
    private static final int SENDERS = 4;

    /** After a pause of the process, at most the requests of this time are sent later. */
    private static final double LONGEST_SECONDS = 2 * PAUSE.toMillis() / 1_000.0;

    private static final int MOST_IN_FLIGHT = 40;

    private static final Logger LOG = LoggerFactory.getLogger(DemoTraffic.class);

    private final Sender sender;
    private final Runnable end;
    private final DemoMix mix;
    private final Clock clock;
    private final ScheduledExecutorService turns;
    private final AtomicInteger inFlight = new AtomicInteger();
    private final long startNanos;
    private long lastNanos;
    private double due = 1;
    private boolean isFailing;

    /** Sends a request. */
    @FunctionalInterface
    interface Sender {
        /** Starts to send. The future completes when the answer has arrived or is no longer awaited. */
        CompletableFuture<?> send(DemoRequest request);
    }

    /** @param end called when the traffic ends */
    DemoTraffic(Sender sender, Runnable end, DemoMix mix, Clock clock) {
        this.sender = sender;
        this.end = end;
        this.mix = mix;
        this.clock = clock;
        this.turns = Executors.newSingleThreadScheduledExecutor(task -> daemon(task, "sluice-demo-traffic"));
        this.startNanos = clock.nanoTime();
        this.lastNanos = startNanos;
    }

    /**
     * Creates traffic to a gateway.
     *
     * @param source the source address; empty for any address
     */
    static DemoTraffic to(URI gateway, Optional<InetAddress> source, DemoMix mix, Clock clock) {
        ExecutorService senders = Executors.newFixedThreadPool(SENDERS, task -> daemon(task, "sluice-demo-sender"));
        return new DemoTraffic(
                request -> CompletableFuture.runAsync(() -> send(gateway, source, request), senders),
                senders::shutdownNow,
                mix,
                clock);
    }

    private static void send(URI gateway, Optional<InetAddress> source, DemoRequest request) {
        try {
            DemoConnection.send(gateway, source, request);
        } catch (IOException e) {
            LOG.debug("sample traffic: {}", e.getMessage());
        }
    }

    private static Thread daemon(Runnable task, String name) {
        Thread thread = new Thread(task, name);
        thread.setDaemon(true);
        return thread;
    }

    void start() {
        var unused = turns.scheduleWithFixedDelay(this::turn, 0, PAUSE.toMillis(), TimeUnit.MILLISECONDS);
    }

    /** Sends the requests that are due. A failure does not end the traffic. */
    synchronized void turn() {
        try {
            sendDue();
            isFailing = false;
        } catch (RuntimeException e) {
            if (!isFailing && !turns.isShutdown()) {
                isFailing = true;
                LOG.warn("sample traffic: a request could not be sent; the next ones are tried", e);
            }
        }
    }

    private void sendDue() {
        long now = clock.nanoTime();
        double passed = seconds(now - lastNanos);
        double moment = seconds(now - startNanos);
        lastNanos = now;
        due += Math.min(LONGEST_SECONDS, passed) * DemoMix.perSecond(moment);
        while (due >= 1) {
            due--;
            if (inFlight.get() < MOST_IN_FLIGHT) {
                send(mix.next(moment));
            }
        }
    }

    private void send(DemoRequest request) {
        inFlight.incrementAndGet();
        try {
            // Refusals are the purpose of this traffic, and no code waits for an answer.
            var unused = sender.send(request).whenComplete((answer, failure) -> inFlight.decrementAndGet());
        } catch (RuntimeException e) {
            inFlight.decrementAndGet();
            throw e;
        }
    }

    private static double seconds(long nanos) {
        return nanos / (double) TimeUnit.SECONDS.toNanos(1);
    }

    @Override
    public void close() {
        turns.shutdownNow();
        end.run();
    }
}
