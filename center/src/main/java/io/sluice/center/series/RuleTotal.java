package io.sluice.center.series;

/**
 * What a rule decided over a whole time, and when it decided something last. Immutable.
 *
 * @param lastAt when the newest step with a decision begins, in seconds since 1970. It is a minute, or an hour that is long over
 */
record RuleTotal(SeriesSum sum, long lastAt) {

    /** Returns this and what the rule decided later. */
    RuleTotal then(RuleTotal later) {
        return new RuleTotal(sum.then(later.sum), Math.max(lastAt, later.lastAt));
    }

    /** Returns this and what the rule decided elsewhere at the same time. */
    RuleTotal beside(RuleTotal other) {
        return new RuleTotal(sum.beside(other.sum), Math.max(lastAt, other.lastAt));
    }
}
