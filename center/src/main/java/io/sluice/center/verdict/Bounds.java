package io.sluice.center.verdict;

/**
 * By how much the trial exceeds the control.
 *
 * @param low the true difference is below with the probability of a false rollback
 * @param high the true difference is above with the probability of a false promotion
 */
record Bounds(double low, double high) {

    static final Bounds NONE = new Bounds(Double.NEGATIVE_INFINITY, Double.POSITIVE_INFINITY);

    /**
     * Returns the bounds of a difference.
     *
     * @param unseenLow how much the control may lack by chance
     * @param unseenHigh how much the trial may lack by chance
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
     * Returns how far a bound is from the value. If few groups make a value large, then a sample often has too few of them, and its
     * value and variance are both too small. Johnson's correction of Student's interval makes up for that. It is used where it widens
     * the interval.
     */
    private static double margin(Difference difference, double alpha, double skew) {
        double quantile = Student.quantile(difference.degrees(), alpha);
        double deviation = Math.sqrt(difference.variance());
        return (deviation > 0 ? quantile * deviation : 0) + (skew > 0 ? skew * (1 + 2 * quantile * quantile) / 6 : 0);
    }

    /** Returns the rule of three: if none of so many is seen, then the share is below this, except with probability alpha. */
    static double unseen(Measure measure, double whole, double alpha) {
        return measure.relative() ? 0 : -Math.log(alpha) / whole;
    }
}
