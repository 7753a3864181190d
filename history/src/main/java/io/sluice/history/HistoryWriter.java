package io.sluice.history;

import io.sluice.core.history.HistoryEvent;
import io.sluice.core.history.HistoryListener;
import io.sluice.core.history.HistoryQueue;
import java.io.IOException;
import java.nio.file.Path;

/**
 * Writes the history of one process to a file, one JSON array per line; see {@code docs/why/history.md}. Callers block only while
 * {@value #CAPACITY} events wait to be written ({@link HistoryQueue}). Thread-safe.
 *
 * <p>If the process is killed, the file keeps the written events, and at most its last line is incomplete. The reader notices
 * the missing end line.
 */
public final class HistoryWriter implements HistoryListener, AutoCloseable {

    /** The maximum number of events that may wait to be written. */
    public static final int CAPACITY = 65_536;

    private final HistoryQueue queue;

    private HistoryWriter(HistoryQueue queue) {
        this.queue = queue;
    }

    /**
     * Starts a history.
     *
     * @param file the file to create; it must not exist
     * @param node the name of the process, different for each process
     */
    public static HistoryWriter open(Path file, String node) throws IOException {
        return new HistoryWriter(new HistoryQueue(new Lines(HistoryFile.create(file, node)), CAPACITY));
    }

    /** Returns the number of events that were not written. */
    public long lost() {
        return queue.lost();
    }

    @Override
    public void happened(HistoryEvent event) {
        queue.happened(event);
    }

    /** Writes the waiting events and the end line. */
    @Override
    public void close() {
        queue.close();
    }

    private record Lines(HistoryFile file) implements HistoryQueue.Sink {

        @Override
        public void write(HistoryEvent event) throws IOException {
            file.write(event);
        }

        @Override
        public void flush() throws IOException {
            file.flush();
        }

        @Override
        public void end(long lost) throws IOException {
            file.end(lost);
        }
    }
}
