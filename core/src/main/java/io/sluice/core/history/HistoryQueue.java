package io.sluice.core.history;

import java.lang.System.Logger.Level;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * Takes events from many threads and has one thread of its own write them, so that recording costs whoever is recorded one
 * append. Events of one thread are written in their order. Safe for use by many threads.
 *
 * <p>A history with holes proves nothing, so nothing is dropped while it can be written: when the queue is full, whoever has
 * something to tell waits until there is room. Only when writing has failed, or after {@link #close}, are events lost; they are
 * counted ({@link #lost}), logged at the first, and the sink is told how many when it ends.
 * An asynchronous logger promises neither: it drops when it is full, or goes on dropping without a word when writing fails.
 */
public final class HistoryQueue implements HistoryListener, AutoCloseable {

    /** Where events go, on one thread. */
    public interface Sink {

        void write(HistoryEvent event) throws Exception;

        /** Nothing more is waiting for now: what was written so far had better be where it can be read. */
        void flush() throws Exception;

        /** No more will come. */
        void end(long lost) throws Exception;
    }

    private static final System.Logger LOG = System.getLogger(HistoryQueue.class.getName());

    /** How long the thread sleeps when nothing is waiting, so that nobody who tells something has to wake it. */
    private static final long IDLE_NANOS = 1_000_000;

    /** Room is told of after so many, because each time every teller has to fetch it from the thread's memory. */
    private static final int AT_ONCE = 64;

    /** How long somebody sleeps who finds no room. */
    private static final long FULL_NANOS = 1_000_000;

    /** A ring: tellers claim places at {@link #tail} and fill them, the thread empties them at {@link #head}. */
    private final AtomicReferenceArray<@Nullable HistoryEvent> ring;

    private final AtomicLong tail = new AtomicLong();
    private volatile long head;
    private final Sink sink;
    private final Thread thread;
    private final AtomicLong lost = new AtomicLong();
    private volatile boolean closed;

    /** Whether the thread writes no more than what it finds now. */
    private volatile boolean ended;

    /** @param capacity how many events may wait to be written */
    public HistoryQueue(Sink sink, int capacity) {
        this.ring = new AtomicReferenceArray<>(capacity);
        this.sink = sink;
        this.thread = new Thread(this::run, "sluice-history");
        this.thread.setDaemon(true);
        this.thread.start();
    }

    /** How many events were not written. */
    public long lost() {
        return lost.get();
    }

    @Override
    public void happened(HistoryEvent event) {
        boolean interrupted = false;
        long place = claim();
        while (place < 0 && !closed && !ended) {
            // Who is interrupted would not sleep at all.
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
        // The thread may have looked for the last time.
        if (ended && ring.compareAndSet(index, event, null)) {
            lose(1, null);
        }
    }

    /** A place in the ring; -1 if there is none, or no more is taken. */
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

    /** Writes what is waiting and ends the sink. */
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

    /** Writes until a place is empty; whether there was anything. An event leaves the ring when it is written. */
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

    /** Whoever fills a place after this takes his event back. */
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
            LOG.log(Level.ERROR, "events are lost: the history is not whole", why);
        }
    }
}
