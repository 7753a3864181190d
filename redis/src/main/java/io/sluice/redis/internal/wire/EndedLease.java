package io.sluice.redis.internal.wire;

/**
 * A lease that nobody spends from any more.
 *
 * @param spent how many of its permits were; the store knows how many there were, and takes back the rest
 */
public record EndedLease(String lease, long spent) {}
