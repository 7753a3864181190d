package io.sluice.core.history;

/**
 * A node put back what it had spent ({@link SpendEvent}), because the ask did not pass after all or the permits were given
 * back. Immutable.
 *
 * @param ask the ask for which it had been spent; empty if that is no longer known
 * @param count the count
 * @param lease the lease that has it again; empty if that lease was closed, and the permits went back to the store
 * @param ownNanos the node's monotonic time of the event
 * @param endsNanos until when, by the same clock, the node may spend the lease
 * @param epochMicros the node's wall time of the event
 */
public record UnspendEvent(
        String ask, String count, String lease, long permits, long ownNanos, long endsNanos, long epochMicros)
        implements HistoryEvent {}
