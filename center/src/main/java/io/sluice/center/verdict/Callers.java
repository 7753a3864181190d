package io.sluice.center.verdict;

import io.sluice.runtime.fleet.Tally;

/** What the groups of an arm tell about its callers, who are not counted themselves. */
final class Callers {

    private Callers() {}

    /**
     * Returns the sum of the squares of the callers' requests. A keyed hash spreads the callers over the groups, so the sizes of the
     * groups vary by exactly this sum. It is at least the number of requests.
     */
    static double squares(Arm arm) {
        int clusters = arm.clusters().size();
        double mean = (double) arm.total().requests() / clusters;
        double squares = 0;
        for (Tally tally : arm.clusters()) {
            squares += (tally.requests() - mean) * (tally.requests() - mean);
        }
        return Math.max((double) arm.total().requests(), squares * clusters / (clusters - 1));
    }

    /**
     * Returns how many equally busy callers on trial would be as good a choice of all callers. Very busy callers make this number
     * small. Those in the control count as well, because others like them may be missing on trial.
     */
    static double onTrial(Sample sample) {
        double trial = sample.trial().total().requests();
        double all = trial + sample.control().total().requests();
        double squares = squares(sample.trial()) + squares(sample.control());
        return squares > 0 ? trial * all / squares : 0;
    }
}
