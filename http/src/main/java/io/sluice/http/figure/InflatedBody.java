package io.sluice.http.figure;

import java.util.zip.DataFormatException;
import java.util.zip.Inflater;
import org.jspecify.annotations.Nullable;

/**
 * A compressed body: {@code gzip} or {@code deflate}. Checksums are not verified; the caller does that.
 *
 * <p>It unpacks into a small buffer. If a piece unpacks to more than {@link #MOST_PER_PIECE} bytes, the rest of the piece and of the body
 * is not read, because it would keep an event loop busy. Many pieces that unpack to nearly as much would do the same. So reading also stops
 * when the body has unpacked to that size and to {@value #MOST_PER_BYTE} times its own size.
 */
final class InflatedBody implements BodyReader {

    /** The maximum number of bytes that a piece may unpack to. */
    static final int MOST_PER_PIECE = 2 * 1024 * 1024;

    /**
     * The maximum ratio of the unpacked size of a body to its own size, beyond {@link #MOST_PER_PIECE}. Texts of models have ratios of 10
     * to 40.
     */
    static final int MOST_PER_BYTE = 100;

    private static final int BUFFER = 8 * 1024;

    private final BodyReader text;
    private final @Nullable GzipHeader header;
    private final Inflater inflater;
    private final byte[] buffer = new byte[BUFFER];
    private long mayUnpack = MOST_PER_PIECE;
    private boolean over;

    private InflatedBody(BodyReader text, boolean gzip) {
        this.text = text;
        this.header = gzip ? new GzipHeader() : null;
        this.inflater = new Inflater(gzip);
    }

    static InflatedBody gzip(BodyReader text) {
        return new InflatedBody(text, true);
    }

    static InflatedBody deflate(BodyReader text) {
        return new InflatedBody(text, false);
    }

    @Override
    public void take(byte[] bytes, int from, int to) {
        try {
            int at = from;
            mayUnpack += (long) MOST_PER_BYTE * (to - from);
            int left = MOST_PER_PIECE;
            while (at < to && !over) {
                if (header != null && !header.isPassed()) {
                    at = header.pass(bytes, at, to);
                    continue;
                }
                inflater.setInput(bytes, at, to - at);
                left = inflate(left);
                if (over) {
                    return;
                }
                at = to - inflater.getRemaining();
                if (inflater.finished()) {
                    memberEnded();
                }
            }
        } catch (DataFormatException e) {
            close();
        }
    }

    /** Unpacks the available bytes. Returns the number of bytes to which this piece may still unpack. */
    private int inflate(int most) throws DataFormatException {
        int left = most;
        while (!inflater.finished() && !text.isOver()) {
            int unpacked = inflater.inflate(buffer, 0, buffer.length);
            if (unpacked == 0) {
                if (inflater.needsDictionary()) {
                    close();
                }
                return left;
            }
            left -= unpacked;
            mayUnpack -= unpacked;
            if (left < 0 || mayUnpack < 0) {
                close();
                return 0;
            }
            text.take(buffer, 0, unpacked);
        }
        if (text.isOver()) {
            close();
        }
        return left;
    }

    /** Handles the end of a member. A gzip body may have several members, each with a header and a trailer. */
    private void memberEnded() {
        if (header == null) {
            close();
        } else {
            header.afterMember();
            inflater.reset();
        }
    }

    @Override
    public void end() {
        text.end();
        close();
    }

    /** Stops reading, and frees the memory of the inflater, which is not on the heap. */
    void close() {
        over = true;
        inflater.end();
    }

    @Override
    public boolean isOver() {
        return over;
    }
}
