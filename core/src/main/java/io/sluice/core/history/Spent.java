package io.sluice.core.history;

/**
 * A node let somebody pass on permits of a lease, without asking the store. Immutable.
 *
 * @param ask for which ask, see {@link AskIds}
 * @param count of which count
 * @param ownNanos the node's monotonic time of it
 * @param endsNanos until when, by the same clock, the node may spend the lease
 * @param epochMicros the node's wall time of it
 */
public record Spent(
        String ask, String count, String lease, long permits, long ownNanos, long endsNanos, long epochMicros)
        implements Event {}
