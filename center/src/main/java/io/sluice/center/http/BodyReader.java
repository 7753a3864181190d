package io.sluice.center.http;

import io.sluice.runtime.recording.ExcerptQuestion;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.SocketTimeoutException;
import java.time.Duration;
import java.util.concurrent.Semaphore;
import java.util.function.LongSupplier;
import java.util.regex.Pattern;

/**
 * Reads the bodies of requests: bounded in length and in time, and only some at once. So neither strangers nor slow callers take all
 * threads or all memory. Thread-safe.
 */
public final class BodyReader {

    /** Somebody who is not signed in sends a password or a passkey at most. */
    static final int MOST_BYTES_OF_STRANGERS = 64 * 1024;

    /** Enough for everything but rule documents. */
    static final int MOST_BYTES = 1024 * 1024;

    /** A document of 200,000 rules fits. */
    static final int MOST_BYTES_OF_DOCUMENTS = 64 * 1024 * 1024;

    /** Checks run while somebody writes, so they are bounded more. 20,000 rules fit. */
    static final int MOST_BYTES_OF_CHECKS = 8 * 1024 * 1024;

    private static final String DOCUMENTS = "/api/changes";
    private static final String CHECKS = "/api/changes/check";
    private static final String DRY_RUNS = "/api/changes/dry-run";
    private static final Pattern EXCERPTS = Pattern.compile("/api/nodes/[^/]+/excerpts/[^/]+");
    private static final Duration PATIENCE_WITH_STRANGERS = Duration.ofSeconds(10);
    private static final Duration PATIENCE = Duration.ofMinutes(1);
    private static final int STRANGERS_AT_ONCE = 8;
    private static final int DOCUMENTS_AT_ONCE = 4;
    private static final int PIECE = 16 * 1024;

    private final Semaphore strangers = new Semaphore(STRANGERS_AT_ONCE);
    private final Semaphore documents = new Semaphore(DOCUMENTS_AT_ONCE);
    private final LongSupplier nanos;

    /**
     * Creates a reader.
     *
     * @param nanos returns the time since some moment
     */
    public BodyReader(LongSupplier nanos) {
        this.nanos = nanos;
    }

    /** A body that is not read to its end. */
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
     * @param isStranger whether the request has no valid credential
     */
    public byte[] read(HttpServletRequest request, boolean isStranger) throws IOException, RefusedBodyException {
        if (request.getContentLengthLong() == 0) {
            return new byte[0];
        }
        if (!isStranger) {
            return read(
                    request.getInputStream(), request.getContentLengthLong(), most(request.getRequestURI()), PATIENCE);
        }
        requireTurn(strangers);
        try {
            return read(
                    request.getInputStream(),
                    request.getContentLengthLong(),
                    MOST_BYTES_OF_STRANGERS,
                    PATIENCE_WITH_STRANGERS);
        } finally {
            strangers.release();
        }
    }

    /** Returns the longest body that somebody with a credential may send to a path. */
    static int most(String path) {
        if (path.startsWith(CHECKS) || path.startsWith(DRY_RUNS)) {
            return MOST_BYTES_OF_CHECKS;
        }
        if (EXCERPTS.matcher(path).matches()) {
            return ExcerptQuestion.MOST_BYTES;
        }
        return path.startsWith(DOCUMENTS) ? MOST_BYTES_OF_DOCUMENTS : MOST_BYTES;
    }

    byte[] read(InputStream in, long announced, int most, Duration patience) throws IOException, RefusedBodyException {
        if (announced > most) {
            throw tooLarge(most);
        }
        long begin = nanos.getAsLong();
        boolean isDocument = false;
        try {
            ByteArrayOutputStream body = new ByteArrayOutputStream(PIECE);
            byte[] piece = new byte[PIECE];
            for (int length = in.read(piece); length >= 0; length = in.read(piece)) {
                body.write(piece, 0, length);
                if (body.size() > most) {
                    throw tooLarge(most);
                }
                if (nanos.getAsLong() - begin > patience.toNanos()) {
                    throw tooSlow(patience);
                }
                if (!isDocument && body.size() > MOST_BYTES) {
                    requireTurn(documents);
                    isDocument = true;
                }
            }
            return body.toByteArray();
        } catch (SocketTimeoutException e) {
            throw tooSlow(patience);
        } finally {
            if (isDocument) {
                documents.release();
            }
        }
    }

    private static RefusedBodyException tooSlow(Duration patience) {
        return new RefusedBodyException(
                HttpServletResponse.SC_REQUEST_TIMEOUT,
                "body: too slow (expected: all of it within " + patience.toSeconds() + " seconds)");
    }

    private static void requireTurn(Semaphore turns) throws RefusedBodyException {
        if (!turns.tryAcquire()) {
            throw new RefusedBodyException(
                    HttpServletResponse.SC_SERVICE_UNAVAILABLE,
                    "body: too many of this kind are being received (expected: fewer at once; try again)");
        }
    }

    private static RefusedBodyException tooLarge(int most) {
        return new RefusedBodyException(
                HttpServletResponse.SC_REQUEST_ENTITY_TOO_LARGE,
                "body: more than " + most + " bytes (expected: at most that many)");
    }
}
