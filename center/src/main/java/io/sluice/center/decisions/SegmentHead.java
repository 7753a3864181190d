package io.sluice.center.decisions;

import io.sluice.runtime.data.PackReader;
import io.sluice.runtime.data.PackWriter;

/**
 * What a segment says about itself.
 *
 * @param minute of its decisions, in minutes since 1970
 * @param part the number of the segment among those of the minute
 * @param upTo all decisions of the minute in batches up to this position of the journal are in this segment or an earlier one
 * @param count of decisions
 * @param bytes of its decisions, before they are compressed
 * @param dropped decisions of the minute that there was no room for, since the segment before
 * @param blocks of its Bloom filter
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

    /** Reads what {@link #toBytes} writes. Throws {@link IllegalArgumentException} if the bytes are anything else. */
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
