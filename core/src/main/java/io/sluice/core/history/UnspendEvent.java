package io.sluice.core.history;

/**
 * A node put back permits that it had spent ({@link SpendEvent}), because the ask did not pass after all or the permits were
 * given back. Immutable.
 *
 * @param ask the ask for which the permits had been spent; empty if it is no longer known
 * @param count the count
 * @param lease the lease that has the permits again; empty if that lease was closed, and the permits went back to the store
 * @param ownNanos the node's monotonic time of the event
 * @param endsNanos the time, by the same clock, until which the node may spend the lease
 * @param epochMicros the node's wall time of the event
 */
public record UnspendEvent(
        String ask, String count, String lease, long permits, long ownNanos, long endsNanos, long epochMicros)
        implements HistoryEvent {}
