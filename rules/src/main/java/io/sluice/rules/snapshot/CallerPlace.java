package io.sluice.rules.snapshot;

/**
 * Where a caller is in a trial.
 *
 * @param trial the version on trial
 * @param onTrial whether the caller gets it, rather than the version in force
 * @param group 0 to {@link CallerSplit#GROUPS} - 1; callers of one group are counted together
 */
public record CallerPlace(long trial, boolean onTrial, int group) {}
