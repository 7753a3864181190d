package io.sluice.redis.internal.wire;

/**
 * A lease that is no longer spent from.
 *
 * @param spent how many of its permits were spent. The store knows how many it granted and takes back the rest
 */
public record EndedLease(String lease, long spent) {}
