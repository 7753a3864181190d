package io.sluice.core.history;

import java.lang.System.Logger.Level;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * Collects events from many threads and writes them on a thread of its own, so that recording an event costs one append. Events
 * of one thread are written in their order. Thread-safe.
 *
 * <p>A history with gaps proves nothing, so no event is dropped while it can be written: if the queue is full, the recording
 * thread waits until there is room. Events are lost only if writing has failed, or after {@link #close}. Lost events are
 * counted ({@link #lost}), the first loss is logged, and the sink receives the number when it ends. An asynchronous logger
 * guarantees neither: it drops events when it is full, or keeps dropping them silently when writing fails.
 */
public final class HistoryQueue implements HistoryListener, AutoCloseable {

    /** Receives the events, on one thread. */
    public interface Sink {

        void write(HistoryEvent event) throws Exception;

        /** Called when no more events are waiting for now. Makes the events written so far readable. */
        void flush() throws Exception;

        /** Called when no more events will come. */
        void end(long lost) throws Exception;
    }

    private static final System.Logger LOG = System.getLogger(HistoryQueue.class.getName());

    /** The time that the thread sleeps if no event is waiting, so that recording threads never need to wake it. */
    private static final long IDLE_NANOS = 1_000_000;

    /**
     * The number of written events after which their room becomes visible, because each update makes every recording thread
     * reload it.
     */
    private static final int AT_ONCE = 64;

    /** The time that a recording thread sleeps if it finds no room. */
    private static final long FULL_NANOS = 1_000_000;

    /** A ring: recording threads claim places at {@link #tail} and fill them; the writer empties them at {@link #head}. */
    private final AtomicReferenceArray<@Nullable HistoryEvent> ring;

    private final AtomicLong tail = new AtomicLong();
    private volatile long head;
    private final Sink sink;
    private final Thread thread;
    private final AtomicLong lost = new AtomicLong();
    private volatile boolean closed;

    /** True if the thread writes only the events that it finds now. */
    private volatile boolean ended;

    /**
     * @param capacity the maximum number of events that wait to be written
     */
    public HistoryQueue(Sink sink, int capacity) {
        this.ring = new AtomicReferenceArray<>(capacity);
        this.sink = sink;
        this.thread = new Thread(this::run, "sluice-history");
        this.thread.setDaemon(true);
        this.thread.start();
    }

    /** Returns the number of events that were not written. */
    public long lost() {
        return lost.get();
    }

    @Override
    public void happened(HistoryEvent event) {
        boolean interrupted = false;
        long place = claim();
        while (place < 0 && !closed && !ended) {
            // An interrupted thread would not sleep at all.
            interrupted |= Thread.interrupted();
            LockSupport.parkNanos(FULL_NANOS);
            place = claim();
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
        if (place < 0) {
            lose(1, null);
            return;
        }
        int index = index(place);
        ring.set(index, event);
        // The writer may have checked for the last time.
        if (ended && ring.compareAndSet(index, event, null)) {
            lose(1, null);
        }
    }

    /** Returns a place in the ring, or -1 if it is full or closed. */
    private long claim() {
        while (!closed && !ended) {
            long next = tail.get();
            if (next - head >= ring.length()) {
                return -1;
            }
            if (tail.compareAndSet(next, next + 1)) {
                return next;
            }
        }
        return -1;
    }

    private int index(long place) {
        return (int) (place % ring.length());
    }

    /** Writes the waiting events and ends the sink. */
    @Override
    public void close() {
        closed = true;
        LockSupport.unpark(thread);
        boolean interrupted = false;
        while (thread.isAlive()) {
            try {
                thread.join();
            } catch (InterruptedException e) {
                interrupted = true;
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    private void run() {
        try {
            while (!closed) {
                if (writeWaiting()) {
                    sink.flush();
                } else {
                    LockSupport.parkNanos(IDLE_NANOS);
                }
            }
            while (head < tail.get()) {
                if (!writeWaiting()) {
                    Thread.onSpinWait();
                }
            }
            ended = true;
            writeLast();
            sink.end(lost.get());
        } catch (Exception e) {
            ended = true;
            lose(leftOver(), e);
        }
    }

    /**
     * Writes events until it finds an empty place. Returns whether there were any. An event leaves the ring once it is written.
     */
    private boolean writeWaiting() throws Exception {
        long place = head;
        HistoryEvent next = ring.get(index(place));
        boolean any = next != null;
        while (next != null) {
            sink.write(next);
            ring.set(index(place), null);
            place++;
            if (place % AT_ONCE == 0) {
                head = place;
            }
            next = ring.get(index(place));
        }
        head = place;
        return any;
    }

    /** Writes the last events. A thread that fills a place after this takes its event back. */
    private void writeLast() throws Exception {
        for (long place = head; place < tail.get(); place++) {
            HistoryEvent last = ring.getAndSet(index(place), null);
            if (last != null) {
                sink.write(last);
            }
        }
    }

    private long leftOver() {
        long left = 0;
        for (int i = 0; i < ring.length(); i++) {
            left += ring.getAndSet(i, null) == null ? 0 : 1;
        }
        return left;
    }

    private void lose(long events, @Nullable Exception why) {
        if (lost.getAndAdd(events) == 0) {
            LOG.log(Level.ERROR, "history events were lost; the recording is incomplete", why);
        }
    }
}
