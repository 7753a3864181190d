package io.sluice.rules.snapshot;

/**
 * The place of a caller in a trial.
 *
 * @param trial the version on trial
 * @param onTrial whether the caller gets the version on trial instead of the version in force
 * @param group the group, 0 to {@link CallerSplit#GROUPS} - 1; callers of one group are counted together
 */
public record CallerPlace(long trial, boolean onTrial, int group) {}
