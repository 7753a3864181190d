package io.sluice.runtime.participant;

import java.util.ArrayDeque;
import java.util.Deque;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The parts of a process that have been opened. They close in the reverse order, each once. A part that fails to close is logged and keeps
 * no other part open. Thread-safe.
 */
public final class Closing implements AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(Closing.class);

    /** The newest part first. Guarded by this. */
    private final Deque<AutoCloseable> parts = new ArrayDeque<>();

    /** Adds a part that has been opened, and returns it. */
    public synchronized <T extends AutoCloseable> T add(T part) {
        parts.push(part);
        return part;
    }

    @Override
    public void close() {
        for (AutoCloseable part = next(); part != null; part = next()) {
            try {
                part.close();
            } catch (Exception e) {
                LOG.warn("{} did not stop cleanly", part.getClass().getSimpleName(), e);
            }
        }
    }

    private synchronized @Nullable AutoCloseable next() {
        return parts.poll();
    }
}
