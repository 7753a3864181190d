package io.sluice.core.history;

import java.lang.System.Logger.Level;
import java.util.ArrayDeque;
import java.util.Queue;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * Takes events from many threads and has one thread of its own write them, so that recording costs whoever is recorded one
 * append. Events of one thread are written in their order. Safe for use by many threads.
 *
 * <p>A history with holes proves nothing, so nothing is dropped while it can be written: when the queue is full, whoever has
 * something to tell waits until there is room. Only when writing has failed, or after {@link #close}, are events lost; they are
 * counted ({@link #lost}), logged at the first, and the sink is told how many when it ends.
 */
public final class HistoryQueue implements HistoryListener, AutoCloseable {

    /** Where events go, on one thread. */
    public interface Sink {

        void write(Event event) throws Exception;

        /** Nothing more is waiting for now: what was written so far had better be where it can be read. */
        void flush() throws Exception;

        /** No more will come. */
        void end(long lost) throws Exception;
    }

    private static final System.Logger LOG = System.getLogger(HistoryQueue.class.getName());
    private static final int AT_ONCE = 1_024;

    private final ArrayBlockingQueue<Event> queue;
    private final Sink sink;
    private final Thread thread;
    private final AtomicLong lost = new AtomicLong();
    private volatile boolean closed;
    private volatile boolean failed;

    /** @param capacity how many events may wait to be written */
    public HistoryQueue(Sink sink, int capacity) {
        this.queue = new ArrayBlockingQueue<>(capacity);
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
    public void happened(Event event) {
        boolean interrupted = false;
        try {
            while (!closed && !failed) {
                try {
                    if (queue.offer(event, 100, TimeUnit.MILLISECONDS)) {
                        loseUnlessWritten(event);
                        return;
                    }
                } catch (InterruptedException e) {
                    interrupted = true;
                }
            }
            lose(1, null);
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    /** Writes what is waiting and ends the sink. */
    @Override
    public void close() {
        closed = true;
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
        Queue<Event> some = new ArrayDeque<>(AT_ONCE);
        try {
            while (!closed || !queue.isEmpty()) {
                Event first = queue.poll(20, TimeUnit.MILLISECONDS);
                if (first == null) {
                    continue;
                }
                some.add(first);
                queue.drainTo(some, AT_ONCE - 1);
                while (!some.isEmpty()) {
                    sink.write(some.element());
                    some.remove();
                }
                if (queue.isEmpty()) {
                    sink.flush();
                }
            }
            sink.end(lost.get());
        } catch (Exception e) {
            failed = true;
            queue.drainTo(some);
            lose(some.size(), e);
        }
    }

    /** It may have come just after the thread had looked for the last time. */
    private void loseUnlessWritten(Event event) {
        if ((failed || !thread.isAlive()) && queue.remove(event)) {
            lose(1, null);
        }
    }

    private void lose(long events, @Nullable Exception why) {
        if (lost.getAndAdd(events) == 0) {
            LOG.log(Level.ERROR, "events are lost: the history is not whole", why);
        }
    }
}
