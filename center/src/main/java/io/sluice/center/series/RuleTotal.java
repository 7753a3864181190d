package io.sluice.center.series;

/**
 * The decisions of a rule over a whole time span, and the time of its last decision. Immutable.
 *
 * @param lastAt the start of the newest step with a decision, in seconds since 1970. The step is a minute, or an hour if it ended
 *     long ago
 */
record RuleTotal(SeriesSum sum, long lastAt) {

    /** Returns the sum of this total and a later one. */
    RuleTotal then(RuleTotal later) {
        return new RuleTotal(sum.then(later.sum), Math.max(lastAt, later.lastAt));
    }

    /** Returns the sum of this total and the total of another center for the same time. */
    RuleTotal beside(RuleTotal other) {
        return new RuleTotal(sum.beside(other.sum), Math.max(lastAt, other.lastAt));
    }
}
