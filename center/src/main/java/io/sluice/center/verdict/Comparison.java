package io.sluice.center.verdict;

/**
 * One measure of a trial.
 *
 * @param trial the value on trial: a share, or microseconds
 * @param control the value of the control
 * @param low the trial exceeds the control at least by this much. It is negative if the trial may be better.
 * @param high the trial exceeds the control at most by this much
 * @param tolerance the trial may exceed the control by this much
 * @param says what this measure alone says
 * @param why one sentence for a person
 */
public record Comparison(
        Measure measure,
        double trial,
        double control,
        double low,
        double high,
        double tolerance,
        Verdict.Kind says,
        String why) {}
