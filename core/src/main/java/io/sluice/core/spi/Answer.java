package io.sluice.core.spi;

/**
 * The result of {@link Engine#decide}: an {@link Outcome} if the engine answers immediately, otherwise a {@link
 * PendingOutcome}. So an engine that only sometimes needs a remote call, such as leases, is fast when it does not need one.
 */
public sealed interface Answer permits Outcome, PendingOutcome {}
