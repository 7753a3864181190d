package io.sluice.center.decisions;

import java.time.Duration;

/**
 * The bounds of the ring.
 *
 * @param kept the time for which decisions are kept
 * @param mostBytes the maximum size of all files
 * @param mostInMinute the maximum number of decisions of the whole fleet in one minute
 * @param mostBytesInMinute the maximum size of these decisions, before compression
 * @param mostBytesInMemory the maximum size of decisions that wait to be written
 * @param searchedBytes the maximum size that one search reads, before compression; the search then returns a cursor
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
