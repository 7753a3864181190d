package io.sluice.replay.run;

/**
 * A caller that was refused often. Immutable.
 *
 * @param caller the masked name of the caller
 * @param refused the number of refusals; a lower bound if there were very many callers
 */
public record CallerResult(String caller, long refused) {}
