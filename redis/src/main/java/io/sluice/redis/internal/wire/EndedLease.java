package io.sluice.redis.internal.wire;

/**
 * A lease that is no longer spent from.
 *
 * @param spent the number of its spent permits. The store knows the number of granted permits and takes back the rest
 */
public record EndedLease(String lease, long spent) {}
