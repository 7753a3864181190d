package io.sluice.center.audit;

/**
 * A range of rows that were deleted because of their age. Their hashes remain, so the tree can still be computed.
 *
 * @param first the first row: 1, or the row after the previous segment
 * @param last the last row
 * @param root the root of the tree that ends with the last row
 * @param atMillis the time of the deletion, in milliseconds since 1970
 */
public record AuditSegment(long first, long last, String root, long atMillis) {}
