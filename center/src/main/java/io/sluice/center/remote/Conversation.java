package io.sluice.center.remote;

import io.sluice.core.time.Clock;
import java.io.Closeable;
import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.time.Duration;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * What the center spends on one conversation with a server: at most {@link #MAX_BYTES} bytes are read from it, and at the deadline
 * everything that the conversation has opened is closed. All connections and requests of a conversation share both, so neither an
 * answer without an end nor one that comes byte by byte takes the memory or the threads of the center. Thread-safe.
 *
 * <p>Timeouts of libraries are for each single read, and most libraries collect an answer before they look at it. So the bytes are
 * counted where they arrive, below TLS or as the body of an HTTP answer.
 */
public final class Conversation implements AutoCloseable {

    /** More bytes are not read. */
    public static final int MAX_BYTES = 1 << 20;

    /** More entries of a list are not taken: entries of a directory, keys of a key set. */
    public static final int MAX_ENTRIES = 1_000;

    private final Clock clock;
    private final Duration limit;
    private final long deadlineNanos;
    private final Clock.Alarm alarm;

    // Guarded by this.
    private final Set<Closeable> open = new LinkedHashSet<>();
    private long bytes;
    private boolean isLate;
    private boolean isEnded;

    private Conversation(Clock clock, Duration limit) {
        this.clock = clock;
        this.limit = limit;
        this.deadlineNanos = clock.nanoTime() + limit.toNanos();
        this.alarm = clock.at(deadlineNanos, this::expire);
    }

    /**
     * Begins a conversation.
     *
     * @param limit the time for all of it
     */
    public static Conversation begin(Clock clock, Duration limit) {
        return new Conversation(clock, limit);
    }

    /** Returns the time that is left; at least a millisecond, because many libraries take zero for no limit. */
    public Duration left() {
        return Duration.ofNanos(Math.max(1_000_000, deadlineNanos - clock.nanoTime()));
    }

    /** Returns whether the deadline ended the conversation. */
    public synchronized boolean isLate() {
        return isLate;
    }

    /** Returns which bound ended the conversation, as the end of a sentence about the server. */
    public synchronized Optional<String> problem() {
        if (bytes > MAX_BYTES) {
            return Optional.of("its answer has more than " + MAX_BYTES + " bytes");
        }
        return isLate
                ? Optional.of("no complete answer (expected: within " + limit.toSeconds() + " s)")
                : Optional.empty();
    }

    /** Returns a stream that counts in this conversation, and fails at a bound. */
    public InputStream bounded(InputStream in) {
        return new Counted(in);
    }

    /**
     * Closes something at the deadline, or at the end of the conversation unless it is {@linkplain #release released} before. Closing
     * must be quick.
     *
     * @throws IOException if the conversation has ended already
     */
    public void hold(Closeable resource) throws IOException {
        synchronized (this) {
            if (!isEnded) {
                open.add(resource);
                return;
            }
        }
        resource.close();
        throw new IOException(problem().orElse("the conversation has ended"));
    }

    /** Gives up what was held. It stays open. */
    public synchronized void release(Closeable resource) {
        open.remove(resource);
    }

    /** Ends the conversation and closes what it still holds. */
    @Override
    public void close() {
        alarm.cancel();
        end(false);
    }

    private void expire() {
        end(true);
    }

    private void end(boolean late) {
        List<Closeable> held;
        synchronized (this) {
            if (isEnded) {
                return;
            }
            isEnded = true;
            isLate = late;
            held = List.copyOf(open);
            open.clear();
        }
        for (Closeable each : held) {
            try {
                each.close();
            } catch (IOException e) {
                // It is of no use any more.
            }
        }
    }

    private void count(long more) throws IOException {
        synchronized (this) {
            bytes += more;
            if (bytes <= MAX_BYTES && !isLate) {
                return;
            }
        }
        end(false);
        throw new IOException(problem().orElseThrow());
    }

    private final class Counted extends FilterInputStream {

        Counted(InputStream in) {
            super(in);
        }

        @Override
        public int read() throws IOException {
            int read = in.read();
            if (read >= 0) {
                count(1);
            }
            return read;
        }

        @Override
        public int read(byte[] into, int offset, int length) throws IOException {
            int read = in.read(into, offset, length);
            count(Math.max(0, read));
            return read;
        }

        @Override
        public long skip(long count) throws IOException {
            long skipped = in.skip(count);
            count(skipped);
            return skipped;
        }

        @Override
        public boolean markSupported() {
            return false;
        }
    }
}
