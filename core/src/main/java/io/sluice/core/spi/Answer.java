package io.sluice.core.spi;

/**
 * The result of {@link Engine#decide}: an {@link Outcome} if the engine answers at once, otherwise a {@link PendingOutcome}. An
 * engine that only sometimes needs a remote call, such as leases, stays fast whenever it does not.
 */
public sealed interface Answer permits Outcome, PendingOutcome {}
