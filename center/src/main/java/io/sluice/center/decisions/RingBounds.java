package io.sluice.center.decisions;

import java.time.Duration;

/**
 * How much the ring keeps.
 *
 * @param kept how long
 * @param mostBytes of all files
 * @param mostInMinute decisions of the whole fleet in one minute
 * @param mostBytesInMinute their bytes, before they are compressed
 * @param mostBytesInMemory bytes of decisions that wait to be written
 * @param searchedBytes what one search reads, before they are compressed; then it returns a cursor
 */
record RingBounds(
        Duration kept,
        long mostBytes,
        int mostInMinute,
        long mostBytesInMinute,
        long mostBytesInMemory,
        long searchedBytes) {

    static final RingBounds USUAL =
            new RingBounds(Duration.ofHours(24), 1_000_000_000L, 60_000, 20_000_000, 60_000_000, 128_000_000);
}
