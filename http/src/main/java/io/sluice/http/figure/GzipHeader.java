package io.sluice.http.figure;

import java.util.zip.DataFormatException;

/** Skips the header of a gzip member (RFC 1952), and the trailer of the member before it, split into any pieces. */
final class GzipHeader {

    private static final int TRAILER = 8;
    private static final int FIXED = 10;
    private static final int HAS_CHECKSUM = 0x02;
    private static final int HAS_EXTRA = 0x04;
    private static final int HAS_NAME = 0x08;
    private static final int HAS_COMMENT = 0x10;
    private static final int[] MAGIC = {0x1f, 0x8b, 8};

    private enum Part {
        TRAILER,
        FIXED,
        EXTRA_LENGTH,
        EXTRA,
        NAME,
        COMMENT,
        CHECKSUM,
        PASSED
    }

    private Part part = Part.FIXED;
    private int at;
    private int flags;
    private int extra;

    boolean isPassed() {
        return part == Part.PASSED;
    }

    void afterMember() {
        part = Part.TRAILER;
        at = 0;
    }

    /** Skips bytes of the header. Returns the index after them. */
    int pass(byte[] bytes, int from, int to) throws DataFormatException {
        int index = from;
        while (index < to && part != Part.PASSED) {
            pass(bytes[index++] & 0xff);
        }
        return index;
    }

    private void pass(int b) throws DataFormatException {
        switch (part) {
            case TRAILER -> {
                if (++at == TRAILER) {
                    begin(Part.FIXED);
                }
            }
            case FIXED -> fixed(b);
            case EXTRA_LENGTH -> {
                extra |= b << (at * Byte.SIZE);
                if (++at == 2) {
                    begin(extra == 0 ? Part.NAME : Part.EXTRA);
                }
            }
            case EXTRA -> {
                if (++at == extra) {
                    begin(Part.NAME);
                }
            }
            case NAME -> {
                if (b == 0) {
                    begin(Part.COMMENT);
                }
            }
            case COMMENT -> {
                if (b == 0) {
                    begin(Part.CHECKSUM);
                }
            }
            case CHECKSUM -> {
                if (++at == 2) {
                    begin(Part.PASSED);
                }
            }
            case PASSED -> throw new IllegalStateException("the header has ended");
        }
    }

    private void fixed(int b) throws DataFormatException {
        if (at < MAGIC.length && b != MAGIC[at]) {
            throw new DataFormatException("not gzip");
        }
        if (at == MAGIC.length) {
            flags = b;
        }
        if (++at == FIXED) {
            extra = 0;
            begin(Part.EXTRA_LENGTH);
        }
    }

    /** Starts a part, or the next part that this header has. */
    private void begin(Part next) {
        Part begun = next;
        if (begun == Part.EXTRA_LENGTH && (flags & HAS_EXTRA) == 0) {
            begun = Part.NAME;
        }
        if (begun == Part.NAME && (flags & HAS_NAME) == 0) {
            begun = Part.COMMENT;
        }
        if (begun == Part.COMMENT && (flags & HAS_COMMENT) == 0) {
            begun = Part.CHECKSUM;
        }
        if (begun == Part.CHECKSUM && (flags & HAS_CHECKSUM) == 0) {
            begun = Part.PASSED;
        }
        part = begun;
        at = 0;
    }
}
