package io.sluice.center.version;

/**
 * A released version, without its rules.
 *
 * @param rules the number of rules
 * @param releasedAt milliseconds since the epoch
 * @param changeId the change that it released; 0 if there is none
 * @param contentOf the version whose content it repeats, after a rollback; 0 if there is none
 * @param rollout the rollout that brought it to the nodes
 * @param trial whether it is or was on trial and was never promoted
 */
public record Version(
        long number,
        String digest,
        long rules,
        long releasedAt,
        String actor,
        String title,
        String reason,
        long changeId,
        long contentOf,
        long rollout,
        boolean trial) {}
