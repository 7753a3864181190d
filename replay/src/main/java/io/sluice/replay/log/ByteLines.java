package io.sluice.replay.log;

import java.io.IOException;
import java.io.InputStream;
import java.util.Arrays;

/**
 * The lines of a stream, as bytes. A line longer than {@value #LONGEST} bytes is skipped, so that memory does not depend on the content of
 * the file. Not thread-safe.
 */
final class ByteLines {

    /** The maximum length of a line in bytes. No server writes longer lines, so a longer line is not part of a log. */
    static final int LONGEST = 65_536;

    private static final int BUFFER = 4 * LONGEST;

    private final InputStream in;
    private final byte[] buffer = new byte[BUFFER];
    private int at;
    private int filled;

    private int from;
    private int to;
    private long number;
    private boolean tooLong;

    ByteLines(InputStream in) {
        this.in = in;
    }

    /** Moves to the next line. Returns false at the end. If the stream fails, the lines before that have been returned. */
    boolean next() throws IOException {
        tooLong = false;
        int searched = 0;
        while (true) {
            int end = indexOfLineEnd(at + searched);
            if (end >= 0) {
                return line(end, end + 1);
            }
            searched = filled - at;
            if (searched > LONGEST) {
                tooLong = true;
                filled = at;
                searched = 0;
            }
            if (!fill()) {
                return (searched > 0 || tooLong) && line(filled, filled);
            }
        }
    }

    private boolean line(int end, int next) {
        from = at;
        to = end > at && buffer[end - 1] == '\r' ? end - 1 : end;
        at = next;
        number++;
        if (number == 1 && to - from >= 3 && buffer[from] == (byte) 0xef && buffer[from + 1] == (byte) 0xbb) {
            from += 3;
        }
        tooLong |= to - from > LONGEST;
        return true;
    }

    private int indexOfLineEnd(int start) {
        for (int i = start; i < filled; i++) {
            if (buffer[i] == '\n') {
                return i;
            }
        }
        return -1;
    }

    private boolean fill() throws IOException {
        if (filled == buffer.length || at > BUFFER / 2) {
            System.arraycopy(buffer, at, buffer, 0, filled - at);
            filled -= at;
            at = 0;
        }
        int read = in.read(buffer, filled, buffer.length - filled);
        filled += Math.max(0, read);
        return read >= 0;
    }

    byte[] bytes() {
        return buffer;
    }

    int from() {
        return from;
    }

    int to() {
        return to;
    }

    byte[] copy() {
        return Arrays.copyOfRange(buffer, from, to);
    }

    /** Returns the number of the line, from 1. */
    long number() {
        return number;
    }

    boolean isTooLong() {
        return tooLong;
    }

    boolean isBlank() {
        for (int i = from; i < to; i++) {
            if (buffer[i] != ' ' && buffer[i] != '\t') {
                return false;
            }
        }
        return true;
    }
}
