package io.sluice.core.spi;

/**
 * What {@link Engine#decide} returns: an {@link Outcome} if the engine knew at once, else a {@link PendingOutcome} one. An engine
 * that has to ask somebody else only sometimes (leases) can so be quick whenever it does not.
 */
public sealed interface Answer permits Outcome, PendingOutcome {}
