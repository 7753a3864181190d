package io.sluice.replay.run;

/**
 * A caller that was refused often, masked. Immutable.
 *
 * @param refused how often; a lower bound if there were very many callers
 */
public record CallerResult(String caller, long refused) {}
