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
 * The resources that the center spends on one conversation with a server: it reads at most {@link #MAX_BYTES} bytes, and at the deadline it
 * closes everything that the conversation has opened. All connections and requests of a conversation share both bounds, so neither an
 * endless answer nor one that arrives byte by byte occupies the memory or the threads of the center. Thread-safe.
 *
 * <p>Timeouts of libraries apply to each single read, and most libraries collect an answer before they look at it. The bytes are therefore
 * counted where they arrive, below TLS or as the body of an HTTP answer.
 */
public final class Conversation implements AutoCloseable {

    /** The maximum number of bytes that are read. */
    public static final int MAX_BYTES = 1 << 20;

    /** The maximum number of entries that are taken from a list, such as entries of a directory or keys of a key set. */
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
     * Starts a conversation.
     *
     * @param limit the time for the whole conversation
     */
    public static Conversation begin(Clock clock, Duration limit) {
        return new Conversation(clock, limit);
    }

    /** Returns the remaining time; at least a millisecond, because many libraries treat zero as no limit. */
    public Duration left() {
        return Duration.ofNanos(Math.max(1_000_000, deadlineNanos - clock.nanoTime()));
    }

    /** Returns whether the deadline ended the conversation. */
    public synchronized boolean isLate() {
        return isLate;
    }

    /** Returns the bound that ended the conversation, as the end of a sentence about the server; empty if no bound did. */
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
     * Closes a resource at the deadline, or at the end of the conversation unless it is {@linkplain #release released} before. Closing must
     * be quick.
     *
     * @throws IOException if the conversation has already ended
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

    /** Removes a resource from the conversation and leaves it open. */
    public synchronized void release(Closeable resource) {
        open.remove(resource);
    }

    /** Ends the conversation and closes the resources that it still holds. */
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
                // The resource is no longer needed.
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
