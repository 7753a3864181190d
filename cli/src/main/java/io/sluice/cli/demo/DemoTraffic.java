package io.sluice.cli.demo;

import io.sluice.core.time.Clock;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Sends the requests of sample callers through a gateway, several times a second. Never waits: a gateway that does not answer gets few
 * requests, and what was missed is not made up for. Thread-safe.
 */
final class DemoTraffic implements AutoCloseable {

    private static final Duration PAUSE = Duration.ofMillis(100);
    private static final Duration ANSWERED_WITHIN = Duration.ofSeconds(5);

    /** After a longer pause of the process, requests are not made up for. */
    private static final double LONGEST_SECONDS = 2 * PAUSE.toMillis() / 1_000.0;

    private static final int MOST_IN_FLIGHT = 40;

    private final URI gateway;
    private final DemoMix mix;
    private final Clock clock;
    private final HttpClient client;
    private final AtomicInteger inFlight = new AtomicInteger();
    private final long startNanos;
    private long lastNanos;
    private double due = 1;
    private volatile boolean closed;

    DemoTraffic(URI gateway, DemoMix mix, Clock clock) {
        this.gateway = gateway;
        this.mix = mix;
        this.clock = clock;
        this.client = HttpClient.newBuilder()
                .version(HttpClient.Version.HTTP_1_1)
                .connectTimeout(ANSWERED_WITHIN)
                .build();
        this.startNanos = clock.nanoTime();
        this.lastNanos = startNanos;
    }

    void start() {
        if (closed) {
            return;
        }
        turn();
        clock.at(clock.nanoTime() + PAUSE.toNanos(), this::start);
    }

    private synchronized void turn() {
        long now = clock.nanoTime();
        double passed = seconds(now - lastNanos);
        double moment = seconds(now - startNanos);
        lastNanos = now;
        due += Math.min(LONGEST_SECONDS, passed) * DemoMix.perSecond(moment);
        for (; due >= 1; due--) {
            if (inFlight.get() < MOST_IN_FLIGHT) {
                send(mix.next(moment));
            }
        }
    }

    private void send(DemoRequest request) {
        HttpRequest.Builder builder = HttpRequest.newBuilder(gateway.resolve(request.path()))
                .timeout(ANSWERED_WITHIN)
                .header("x-forwarded-for", request.address())
                .header("user-agent", "sluice-demo");
        request.headers().forEach(builder::header);
        if (request.method().equals("POST")) {
            builder.header("content-type", "application/json").POST(BodyPublishers.ofString("{}"));
        }
        inFlight.incrementAndGet();
        // Refusals are what it is for, and nobody waits for an answer.
        var unused = client.sendAsync(builder.build(), BodyHandlers.discarding())
                .whenComplete((answer, failure) -> inFlight.decrementAndGet());
    }

    private static double seconds(long nanos) {
        return nanos / (double) TimeUnit.SECONDS.toNanos(1);
    }

    @Override
    public void close() {
        closed = true;
    }
}
