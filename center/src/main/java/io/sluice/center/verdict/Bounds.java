package io.sluice.center.verdict;

/**
 * Confidence bounds of the amount by which the trial exceeds the control.
 *
 * @param low the true difference is below this bound with the probability of a false rollback
 * @param high the true difference is above this bound with the probability of a false promotion
 */
record Bounds(double low, double high) {

    static final Bounds NONE = new Bounds(Double.NEGATIVE_INFINITY, Double.POSITIVE_INFINITY);

    /**
     * Returns the bounds of a difference.
     *
     * @param unseenLow the amount that may be missing from the control's value by chance
     * @param unseenHigh the amount that may be missing from the trial's value by chance
     */
    static Bounds of(Difference difference, double alphaLow, double alphaHigh, double unseenLow, double unseenHigh) {
        // An event that is missing by chance can only raise the value of its arm.
        double low = difference.value() - Math.hypot(margin(difference, alphaLow, -difference.skew()), unseenLow);
        double high = difference.value() + Math.hypot(margin(difference, alphaHigh, difference.skew()), unseenHigh);
        return new Bounds(
                low > 0 ? low * Math.min(1, difference.stretch()) : low,
                high > 0 ? high * Math.max(1, difference.stretch()) : high);
    }

    /**
     * Returns the distance between a bound and the value. If few groups make a value large, then a sample often has too few of these
     * groups, and its value and variance are both too small. Johnson's correction of Student's interval compensates for this. It is used
     * where it widens the interval.
     */
    private static double margin(Difference difference, double alpha, double skew) {
        double quantile = Student.quantile(difference.degrees(), alpha);
        double deviation = Math.sqrt(difference.variance());
        return (deviation > 0 ? quantile * deviation : 0) + (skew > 0 ? skew * (1 + 2 * quantile * quantile) / 6 : 0);
    }

    /**
     * Returns the bound by the rule of three: if none of {@code whole} requests or answers counts for the measure, then the true share is
     * below this bound, except with probability {@code alpha}.
     */
    static double unseen(Measure measure, double whole, double alpha) {
        return measure.relative() ? 0 : -Math.log(alpha) / whole;
    }
}
