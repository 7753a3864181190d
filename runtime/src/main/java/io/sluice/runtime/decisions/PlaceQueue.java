package io.sluice.runtime.decisions;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Hands lines to a place on a separate thread, so that a place that hangs delays nothing else. Bounded: if there is no room, new lines
 * are dropped and counted. Thread-safe.
 */
final class PlaceQueue {

    private static final Logger LOG = LoggerFactory.getLogger(PlaceQueue.class);

    /** The maximum number of queued bytes: some seconds of a busy process. */
    private static final long MOST_BYTES = 16L << 20;

    private static final int MOST_AT_ONCE = 1_000;
    private static final long LAST_MAY_TAKE_MILLIS = 3_000;

    private final DecisionPlace place;
    private final PlaceCounts counts;
    private final LinkedBlockingQueue<byte[]> lines = new LinkedBlockingQueue<>();
    private final AtomicLong held = new AtomicLong();
    private final Thread thread;
    private volatile boolean closed;

    PlaceQueue(DecisionPlace place, PlaceCounts counts) {
        this.place = place;
        this.counts = counts;
        this.thread = new Thread(this::run, "sluice-decisions-" + counts.place());
        thread.setDaemon(true);
    }

    void start() {
        thread.start();
    }

    PlaceCounts counts() {
        return counts;
    }

    /** Adds a line. Never blocks. */
    void add(byte[] line) {
        if (closed || held.get() + line.length > MOST_BYTES) {
            counts.addDropped(1);
            return;
        }
        held.addAndGet(line.length);
        lines.add(line);
    }

    /** Returns whether every added line has reached the place or was dropped. */
    boolean isIdle() {
        return held.get() == 0;
    }

    private void run() {
        List<byte[]> next = new ArrayList<>();
        try {
            while (!closed || !lines.isEmpty()) {
                byte[] first = lines.poll(1, TimeUnit.SECONDS);
                if (first != null) {
                    next.add(first);
                    lines.drainTo(next, MOST_AT_ONCE - 1);
                    write(next);
                    next.clear();
                }
                tick();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } finally {
            place.close();
        }
    }

    private void tick() {
        try {
            place.tick();
        } catch (RuntimeException e) {
            LOG.warn("a place of the decision log failed", e);
        }
    }

    private void write(List<byte[]> next) {
        try {
            place.write(next);
        } catch (RuntimeException e) {
            counts.addDropped(next.size());
            LOG.warn("{} decisions were dropped, because their place failed", next.size(), e);
        } finally {
            next.forEach(line -> held.addAndGet(-line.length));
        }
    }

    /** Stops when all lines are written, or after a short time. */
    void close() {
        closed = true;
        if (!thread.isAlive()) {
            place.close();
            return;
        }
        try {
            thread.join(LAST_MAY_TAKE_MILLIS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
