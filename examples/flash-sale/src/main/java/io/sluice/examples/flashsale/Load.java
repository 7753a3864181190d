package io.sluice.examples.flashsale;

import java.io.IOException;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * Sends requests at scheduled times, whatever happened to the previous ones (an open loop), spread over all instances. It uses
 * one thread and plain sockets that are kept alive. Latency is measured from the scheduled time, so a request that had to wait
 * for a connection does not look fast.
 */
final class Load implements Runnable {

    private static final Duration PATIENCE = Duration.ofSeconds(60);

    private final List<Lane> lanes;
    private final List<Phase> phases;
    private final Answers answers = new Answers();
    private final Selector selector;
    private volatile long due;

    /**
     * A period with a constant number of requests per second.
     *
     * @param perSecond at least 0
     */
    record Phase(String name, double perSecond, Duration length) {

        long requests() {
            return Math.round(perSecond * length.toNanos() / TimeUnit.SECONDS.toNanos(1));
        }

        long dueNanos(long request) {
            return (long) (request * (TimeUnit.SECONDS.toNanos(1) / perSecond));
        }
    }

    Load(List<Integer> ports, String method, String path, int connections, List<Phase> phases) throws IOException {
        this.phases = List.copyOf(phases);
        this.selector = Selector.open();
        this.lanes = new ArrayList<>();
        for (int port : ports) {
            lanes.add(new Lane(port, method, path, connections, selector, answers));
        }
    }

    /** Sends all requests and waits up to a minute for the responses. */
    @Override
    public void run() {
        try (selector) {
            long start = System.nanoTime();
            for (Phase phase : phases) {
                run(phase, start);
                start += phase.length().toNanos();
            }
            long giveUp = System.nanoTime() + PATIENCE.toNanos();
            while (waiting() > 0 && System.nanoTime() < giveUp) {
                turn();
            }
            for (Lane lane : lanes) {
                lane.close();
            }
        } catch (IOException e) {
            throw new IllegalStateException("the load generator failed: " + e.getMessage(), e);
        }
    }

    Answers answers() {
        return answers;
    }

    /** Returns how many requests should have been sent by now. */
    long due() {
        return due;
    }

    /** Returns how many of them have no response yet. */
    long waiting() {
        return due - answers.count();
    }

    private void run(Phase phase, long start) throws IOException {
        long end = start + phase.length().toNanos();
        long requests = phase.requests();
        long sent = 0;
        while (sent < requests || System.nanoTime() < end) {
            long now = System.nanoTime();
            while (sent < requests && start + phase.dueNanos(sent) <= now) {
                lanes.get((int) (due % lanes.size())).send(start + phase.dueNanos(sent));
                due++;
                sent++;
            }
            turn();
        }
    }

    private void turn() throws IOException {
        selector.select(1);
        for (SelectionKey key : selector.selectedKeys()) {
            if (key.isValid()) {
                ((Connection) key.attachment()).read();
            }
        }
        selector.selectedKeys().clear();
    }
}
