package io.sluice.center.verdict;

import io.sluice.runtime.fleet.Tally;

/** Estimates about the callers of an arm, from its groups. The callers themselves are not counted. */
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
     * Returns the number of equally busy callers that would represent all callers as well as the callers on trial do. Very busy callers
     * make this number small. Busy callers in the control count as well, because similar callers may be missing on trial.
     */
    static double onTrial(Sample sample) {
        double trial = sample.trial().total().requests();
        double all = trial + sample.control().total().requests();
        double squares = squares(sample.trial()) + squares(sample.control());
        return squares > 0 ? trial * all / squares : 0;
    }
}
