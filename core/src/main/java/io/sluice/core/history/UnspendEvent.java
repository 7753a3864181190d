package io.sluice.core.history;

/**
 * A node put back what it had {@link SpendEvent}, because the ask did not pass after all or somebody gave it back. Immutable.
 *
 * @param ask for which ask it had been spent; empty if that is no longer known
 * @param count of which count
 * @param lease which it is in again; empty if that was closed, and it went back to the store by a give-back
 * @param ownNanos the node's monotonic time of it
 * @param endsNanos until when, by the same clock, the node may spend the lease
 * @param epochMicros the node's wall time of it
 */
public record UnspendEvent(
        String ask, String count, String lease, long permits, long ownNanos, long endsNanos, long epochMicros)
        implements HistoryEvent {}
