package io.sluice.center.verdict;

/**
 * The amount by which the trial exceeds the control, and its uncertainty.
 *
 * @param value trial minus control, corrected by their difference before the trial
 * @param variance the variance of the value
 * @param degrees degrees of freedom of the variance, after Welch and Satterthwaite. Groups of unequal size count as fewer groups of equal
 *     size.
 * @param skew the third moment of the value divided by its variance. It is positive if a few groups make the value large.
 * @param stretch the factor from the effect on the callers on trial to the effect on all callers, if the effect is in proportion to the
 *     counts before the trial
 */
record Difference(double value, double variance, double degrees, double skew, double stretch) {

    /** The variance of one arm's value, with its degrees of freedom. */
    private record Spread(double variance, double degrees) {

        /** Returns the spread of an estimate. A share varies at least as much as it would if requests were independent. */
        static Spread of(Measure measure, Estimate estimate, double variance) {
            double least =
                    measure.relative() ? 0 : estimate.value() * Math.max(0, 1 - estimate.value()) / estimate.whole();
            return new Spread(variance, estimate.equal() - 1).or(new Spread(least, estimate.whole()));
        }

        Spread or(Spread other) {
            return other.variance > variance ? other : this;
        }

        Spread times(double factor) {
            return new Spread(variance * factor, degrees);
        }

        double squareByDegrees() {
            return variance * variance / degrees;
        }
    }

    /**
     * Compares two arms.
     *
     * @param factor the factor by which the control is multiplied when it is compared with the trial. It is above 1 if the tolerance is a
     *     part of the control's value, because that value varies as well.
     */
    static Difference of(Measure measure, Sample before, Sample sample, double factor) {
        Estimate trial = Estimate.of(measure, sample.trial());
        Estimate control = Estimate.of(measure, sample.control());
        Estimate trialBefore = Estimate.of(measure, before.trial());
        Estimate controlBefore = Estimate.of(measure, before.control());
        double weight = comparable(trial, trialBefore) && comparable(control, controlBefore)
                ? weight(trial, trialBefore, control, controlBefore)
                : 0;
        Spread ofTrial = Spread.of(measure, trial, variance(trial, trialBefore, weight));
        Spread ofControl = Spread.of(measure, control, variance(control, controlBefore, weight));
        // A small arm may lack the callers that make the difference, and its callers then look alike. Each arm is
        // therefore taken to be at least as uncertain as the other arm suggests for its size.
        double size = trial.whole() / control.whole();
        Spread first = ofTrial.or(ofControl.times(1 / size));
        Spread second = ofControl.or(ofTrial.times(size)).times(factor * factor);
        double variance = first.variance + second.variance;
        return new Difference(
                trial.value() - control.value() - weight * (trialBefore.value() - controlBefore.value()),
                variance,
                variance > 0
                        ? variance * variance / (first.squareByDegrees() + second.squareByDegrees())
                        : Math.min(ofTrial.degrees, ofControl.degrees),
                variance > 0
                        ? (cubes(trial, trialBefore, weight)
                                        - factor * factor * factor * cubes(control, controlBefore, weight))
                                / variance
                        : 0,
                stretch(trialBefore, controlBefore));
    }

    /**
     * Returns the value for all callers before the trial, divided by the value for the callers on trial. It is 2 if the callers on trial
     * were refused half as often as all callers, for instance.
     */
    private static double stretch(Estimate trialBefore, Estimate controlBefore) {
        double whole = trialBefore.whole() + controlBefore.whole();
        double all = trialBefore.value() * trialBefore.whole() + controlBefore.value() * controlBefore.whole();
        return all > 0 ? all / whole / trialBefore.value() : 1;
    }

    private static boolean comparable(Estimate now, Estimate before) {
        return before.whole() > 0 && now.size() == before.size();
    }

    /**
     * Returns the part of a difference before the trial that is expected to remain, between 0 and 1. Any fixed number is unbiased, because
     * the same version was in force for both arms. This number makes the variance small. All groups have about the same influence on it;
     * otherwise a trial on three nodes would fit the number to these nodes.
     */
    private static double weight(Estimate trial, Estimate trialBefore, Estimate control, Estimate controlBefore) {
        double ofTrial = trial.whole() * trial.clusters();
        double ofControl = control.whole() * control.clusters();
        double common = ofTrial * product(trial, trialBefore) + ofControl * product(control, controlBefore);
        double before = ofTrial * product(trialBefore, trialBefore) + ofControl * product(controlBefore, controlBefore);
        return before > 0 ? Math.max(0, Math.min(1, common / before)) : 0;
    }

    private static double product(Estimate one, Estimate other) {
        double sum = 0;
        for (int i = 0; i < one.size(); i++) {
            sum += one.change(i) * other.change(i);
        }
        return sum;
    }

    private static double variance(Estimate now, Estimate before, double weight) {
        double sum = 0;
        for (int i = 0; i < now.size(); i++) {
            double change = change(now, before, weight, i);
            sum += change * change;
        }
        return now.scale() * sum;
    }

    private static double cubes(Estimate now, Estimate before, double weight) {
        double sum = 0;
        for (int i = 0; i < now.size(); i++) {
            // The value falls if a group with many refusals is left out.
            double part = -change(now, before, weight, i);
            sum += part * part * part;
        }
        return sum;
    }

    private static double change(Estimate now, Estimate before, double weight, int cluster) {
        return now.change(cluster) - (weight > 0 ? weight * before.change(cluster) : 0);
    }
}
