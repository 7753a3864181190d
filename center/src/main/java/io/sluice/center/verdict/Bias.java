package io.sluice.center.verdict;

import io.sluice.runtime.fleet.Tally;
import java.util.Optional;
import java.util.Set;

/**
 * A deviation of the trial's share of the requests from its share of the callers that chance does not explain.
 *
 * <p>A hash gives each caller to the trial with the probability {@code share}. The requests on trial then vary by
 * {@code share * (1 - share)} times the sum of the squares of the callers' requests. That sum follows from the unequal sizes of the groups
 * of callers, in both arms together, so callers need not be counted. A caller with very many requests therefore allows for a large
 * deviation, whichever arm it is in.
 *
 * @param observed the trial's share of the requests
 * @param expected the trial's share of the callers
 * @param margin the deviation that chance explains
 * @param requests the requests of the control
 */
record Bias(double observed, double expected, double margin, double requests) {

    static Optional<Bias> of(Sample sample, double share, double alpha) {
        double trial = sample.trial().total().requests();
        double control = sample.control().total().requests();
        double all = trial + control;
        int clusters = Math.min(
                sample.trial().clusters().size(), sample.control().clusters().size());
        if (all == 0 || clusters < 2) {
            return Optional.empty();
        }
        double squares = Callers.squares(sample.trial()) + Callers.squares(sample.control());
        double margin = Student.quantile(clusters - 1, alpha / 2) * Math.sqrt(share * (1 - share) * squares) / all;
        return Math.abs(trial / all - share) > margin
                ? Optional.of(new Bias(trial / all, share, margin, control))
                : Optional.empty();
    }

    /**
     * Returns a sentence about a measure by which the arms differed before the trial, although both had the same version; empty if there is
     * none.
     */
    static Optional<String> before(Sample before, Set<Measure> measures, double alpha) {
        for (Measure measure : measures) {
            Difference difference = Difference.of(measure, Sample.NONE, before, 1);
            double margin = Student.quantile(difference.degrees(), alpha / 2 / measures.size())
                    * Math.sqrt(difference.variance());
            if (Math.abs(difference.value()) > margin && difference.variance() > 0) {
                return Optional.of("biased: "
                        + Wording.values(
                                measure,
                                Estimate.of(measure, before.trial()).value(),
                                Estimate.of(measure, before.control()).value())
                        + " before it began (expected: no difference, because both had the same version)");
            }
        }
        return Optional.empty();
    }

    boolean tooMany() {
        return observed > expected;
    }

    /**
     * Returns the trial as if each request above its share were a refused retry. Refused callers that retry make more requests, which is an
     * effect of the trial and not a bias. If the trial is too bad even by this count, it is too bad in any case.
     */
    Arm withoutSurplus(Arm trial) {
        Tally total = trial.total();
        double surplus = total.requests() - requests * expected / (1 - expected);
        double kept = 1 - Math.min(1, surplus / Math.max(1, total.refused()));
        return new Arm(trial.clusters().stream()
                .map(tally -> {
                    long refused = (long) (tally.refused() * kept);
                    long requests = tally.requests() - tally.refused() + refused;
                    return new Tally(requests, refused, 0, 0, 0, 0);
                })
                .toList());
    }

    String why() {
        return "biased: " + Wording.share(observed) + " of the requests are on trial (expected: "
                + Wording.share(expected)
                + " with a margin of " + Wording.points(margin) + "); either the callers are not split at random,"
                + " or the trial changes how often they come";
    }
}
