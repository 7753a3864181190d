package io.sluice.center.verdict;

/**
 * The comparison of a trial and its control by one measure.
 *
 * @param trial the value on trial: a share, or microseconds
 * @param control the value of the control
 * @param low the minimum by which the trial exceeds the control. It is negative if the trial may be better.
 * @param high the maximum by which the trial exceeds the control
 * @param tolerance the amount by which the trial may exceed the control
 * @param says the verdict by this measure alone
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
