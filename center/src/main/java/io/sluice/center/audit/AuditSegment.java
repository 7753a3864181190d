package io.sluice.center.audit;

/**
 * Rows that were deleted because of their age. The hash of each of them stays, so that the tree can still be computed.
 *
 * @param first the first row, 1 or the one after the segment before
 * @param last the last row
 * @param root of the tree that ends with the last row
 * @param atMillis when they were deleted, in milliseconds since 1970
 */
public record AuditSegment(long first, long last, String root, long atMillis) {}
