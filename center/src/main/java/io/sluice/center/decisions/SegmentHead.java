package io.sluice.center.decisions;

import io.sluice.runtime.data.PackReader;
import io.sluice.runtime.data.PackWriter;

/**
 * The head of a segment.
 *
 * @param minute the minute of its decisions, in minutes since 1970
 * @param part the number of the segment within the minute
 * @param upTo all decisions of the minute in batches up to this position of the journal are in this segment or an earlier one
 * @param count the number of decisions
 * @param bytes the size of its decisions, before compression
 * @param dropped the number of decisions of the minute that were dropped for lack of room since the previous segment
 * @param blocks the number of blocks of its Bloom filter
 */
record SegmentHead(long minute, int part, long upTo, int count, long bytes, long dropped, int blocks) {

    private static final int VERSION = 1;
    private static final int MOST = 100_000_000;

    byte[] toBytes() {
        return new PackWriter()
                .number(VERSION)
                .number(minute)
                .number(part)
                .number(upTo)
                .number(count)
                .number(bytes)
                .number(dropped)
                .number(blocks)
                .toBytes();
    }

    /**
     * Reads the output of {@link #toBytes}.
     *
     * @throws IllegalArgumentException if the bytes have another form
     */
    static SegmentHead of(byte[] bytes) {
        PackReader pack = new PackReader(bytes);
        if (pack.number() != VERSION) {
            throw new IllegalArgumentException("segment: of another version (expected: " + VERSION + ")");
        }
        return new SegmentHead(
                pack.number(),
                (int) pack.number(MOST),
                pack.number(),
                (int) pack.number(MOST),
                pack.number(),
                pack.number(),
                (int) pack.number(MOST));
    }
}
