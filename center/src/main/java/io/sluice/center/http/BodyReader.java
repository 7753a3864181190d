package io.sluice.center.http;

import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.SocketTimeoutException;
import java.time.Duration;
import java.util.concurrent.Semaphore;
import java.util.function.LongSupplier;

/**
 * Reads the bodies of requests, bounded in length, time and memory. Neither strangers nor slow callers can therefore occupy all threads or
 * all memory. Thread-safe.
 */
public final class BodyReader {

    /** The size up to which bodies are bounded only by the number of threads. */
    static final int SMALL = 1024 * 1024;

    /**
     * The divisor for the part of the memory that all longer bodies share. Their rules need several times as much memory while they are
     * checked.
     */
    private static final int MEMORY_PARTS = 16;

    private static final Duration PATIENCE_WITH_STRANGERS = Duration.ofSeconds(10);
    private static final Duration PATIENCE = Duration.ofMinutes(1);
    private static final int STRANGERS_AT_ONCE = 8;
    private static final int PIECE = 16 * 1024;

    private final Semaphore strangers = new Semaphore(STRANGERS_AT_ONCE);
    private final Semaphore documents;
    private final int maxDocument;
    private final LongSupplier nanos;

    /**
     * Creates a reader.
     *
     * @param nanos returns the time since a fixed moment
     */
    public BodyReader(LongSupplier nanos) {
        this(nanos, Runtime.getRuntime().maxMemory());
    }

    BodyReader(LongSupplier nanos, long memoryBytes) {
        this.nanos = nanos;
        this.maxDocument = Math.toIntExact(Math.min(Integer.MAX_VALUE, memoryBytes / MEMORY_PARTS));
        this.documents = new Semaphore(maxDocument);
    }

    /** A body, which holds its share of the memory until it is closed. */
    public static final class Body implements AutoCloseable {

        static final Body EMPTY = new Body(new byte[0], () -> {});

        private final byte[] bytes;
        private final Runnable end;

        Body(byte[] bytes, Runnable end) {
            this.bytes = bytes;
            this.end = end;
        }

        public byte[] bytes() {
            return bytes;
        }

        @Override
        public void close() {
            end.run();
        }
    }

    /** Thrown if a body is not read to its end. */
    public static final class RefusedBodyException extends Exception {

        private static final long serialVersionUID = 1;

        private final int status;

        RefusedBodyException(int status, String message) {
            super(message);
            this.status = status;
        }

        public int status() {
            return status;
        }
    }

    /**
     * Reads a body.
     *
     * @param max the maximum size of a body of the endpoint, in bytes
     * @param isOpen whether strangers may call the endpoint
     */
    public Body read(HttpServletRequest request, int max, boolean isOpen) throws IOException, RefusedBodyException {
        long announced = request.getContentLengthLong();
        if (announced == 0) {
            return Body.EMPTY;
        }
        requireFits(announced, max);
        if (!isOpen) {
            return read(request.getInputStream(), announced, max, PATIENCE);
        }
        if (!strangers.tryAcquire()) {
            throw tooMany();
        }
        try {
            return read(request.getInputStream(), announced, max, PATIENCE_WITH_STRANGERS);
        } finally {
            strangers.release();
        }
    }

    /**
     * Reads a body.
     *
     * @param announced the length in bytes; negative if it is not known
     */
    Body read(InputStream in, long announced, int max, Duration patience) throws IOException, RefusedBodyException {
        requireFits(announced, max);
        long begin = nanos.getAsLong();
        int held = 0;
        boolean done = false;
        try {
            held = hold(held, announced);
            ByteArrayOutputStream body = new ByteArrayOutputStream((int) Math.max(PIECE, announced));
            byte[] piece = new byte[PIECE];
            for (int length = in.read(piece); length >= 0; length = in.read(piece)) {
                requireFits((long) body.size() + length, max);
                held = hold(held, (long) body.size() + length);
                body.write(piece, 0, length);
                if (nanos.getAsLong() - begin > patience.toNanos()) {
                    throw tooSlow(patience);
                }
            }
            done = true;
            int share = held;
            return new Body(body.toByteArray(), () -> documents.release(share));
        } catch (SocketTimeoutException e) {
            throw tooSlow(patience);
        } finally {
            if (!done) {
                documents.release(held);
            }
        }
    }

    /** Reserves memory for a number of bytes. Returns the number of reserved bytes. */
    private int hold(int held, long bytes) throws RefusedBodyException {
        if (bytes <= SMALL || bytes <= held) {
            return held;
        }
        if (bytes > maxDocument) {
            throw new RefusedBodyException(
                    HttpServletResponse.SC_REQUEST_ENTITY_TOO_LARGE,
                    "body: more than " + maxDocument + " bytes, one part in " + MEMORY_PARTS
                            + " of the center's memory (expected: at most that many; raise -Xmx)");
        }
        // A body without an announced length grows in steps.
        int wanted = (int) Math.min(maxDocument, (bytes + SMALL - 1) / SMALL * SMALL);
        if (!documents.tryAcquire(wanted - held)) {
            throw tooMany();
        }
        return wanted;
    }

    private static void requireFits(long bytes, int max) throws RefusedBodyException {
        if (bytes > max) {
            throw new RefusedBodyException(
                    HttpServletResponse.SC_REQUEST_ENTITY_TOO_LARGE,
                    "body: more than " + max + " bytes (expected: at most that many)");
        }
    }

    private static RefusedBodyException tooSlow(Duration patience) {
        return new RefusedBodyException(
                HttpServletResponse.SC_REQUEST_TIMEOUT,
                "body: too slow (expected: all of it within " + patience.toSeconds() + " seconds)");
    }

    private static RefusedBodyException tooMany() {
        return new RefusedBodyException(
                HttpServletResponse.SC_SERVICE_UNAVAILABLE,
                "body: too many of this kind are being received (expected: fewer at once; try again)");
    }
}
