package io.sluice.center.verdict;

import io.sluice.center.verdict.Verdict.Kind;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * Judges a trial.
 *
 * <p>Each measure has bounds of the amount by which the trial exceeds the control. If one measure's lower bound is above its tolerance, the
 * trial is rolled back. If each measure's upper bound is below its tolerance, the trial is promoted. Otherwise the trial continues.
 *
 * <p>The bounds hold for all looks together. Look number k may err with the probability {@code alpha / (k * (k + 1))}, and the sum of these
 * is {@code alpha}, however much the looks depend on each other. A rollback needs one bad measure, so the measures share that probability
 * as well. A promotion needs all measures, so they do not share it.
 *
 * <p>The differences between callers are much larger than the effect of a version. The counts of both arms before the trial, with the
 * version in force and the same split, show how the arms differ without the trial. With such counts, a verdict needs far fewer callers.
 */
public final class Judge {

    private Judge() {}

    /**
     * Returns the verdict on the counts of both arms since the trial began.
     *
     * @param before the counts of both arms before the trial, or {@link Sample#NONE}
     * @param look the number of this look at the trial, from 1
     */
    public static Verdict judge(VerdictSettings settings, CallerChoice split, Sample before, Sample sample, int look) {
        if (look < 1) {
            throw new IllegalArgumentException("look: " + look + " (expected: 1 for the first, 2 for the second)");
        }
        List<Comparison> comparisons = new ArrayList<>();
        settings.tolerances()
                .keySet()
                .forEach(measure -> comparisons.add(compare(settings, measure, before, sample, look)));
        if (split instanceof CallerChoice.Named) {
            return new Verdict(
                    Kind.HOLD,
                    comparisons,
                    "biased: the callers on trial were chosen by name and may differ from the others"
                            + " (expected: a share of callers; promote or abort this trial by hand)");
        }
        if (split instanceof CallerChoice.Callers callers) {
            // In counts from before the trial, an effect of the trial on the number of requests cannot look like a
            // bias.
            Optional<Bias> bias = Bias.of(
                    before.isEmpty() ? sample : before, callers.share(), settings.alpha(before.isEmpty() ? look : 1));
            if (bias.isPresent()) {
                return biased(settings, bias.get(), comparisons, before, sample, look);
            }
            Optional<String> unlike = before.isEmpty()
                    ? Optional.empty()
                    : Bias.before(before, settings.tolerances().keySet(), settings.alpha(1));
            if (unlike.isPresent()) {
                return new Verdict(Kind.HOLD, comparisons, unlike.get());
            }
        }
        Verdict verdict = verdict(comparisons);
        // A limit refuses some callers often and others never. The other measures depend less on the choice of callers.
        if (verdict.kind() == Kind.PROMOTE
                && split instanceof CallerChoice.Callers
                && settings.tolerances().containsKey(Measure.REFUSALS)) {
            double callers = Callers.onTrial(sample);
            return callers < settings.minCallers()
                    ? new Verdict(Kind.HOLD, comparisons, fewCallers(callers, settings.minCallers()))
                    : verdict;
        }
        return verdict;
    }

    private static Verdict verdict(List<Comparison> comparisons) {
        for (Kind kind : List.of(Kind.ROLL_BACK, Kind.HOLD)) {
            Optional<Comparison> first = comparisons.stream()
                    .filter(comparison -> comparison.says() == kind)
                    .findFirst();
            if (first.isPresent()) {
                return new Verdict(kind, comparisons, first.get().why());
            }
        }
        return new Verdict(
                Kind.PROMOTE,
                comparisons,
                comparisons.stream().map(Comparison::why).collect(Collectors.joining("; ")));
    }

    private static Verdict biased(
            VerdictSettings settings, Bias bias, List<Comparison> comparisons, Sample before, Sample sample, int look) {
        if (before.isEmpty() && bias.tooMany() && settings.tolerances().containsKey(Measure.REFUSALS)) {
            Sample careful = new Sample(bias.withoutSurplus(sample.trial()), sample.control());
            Comparison refusals = compare(settings, Measure.REFUSALS, before, careful, look);
            if (refusals.says() == Kind.ROLL_BACK) {
                return new Verdict(
                        Kind.ROLL_BACK,
                        comparisons,
                        refusals.why() + ", counting only as many requests as the share of callers allows");
            }
        }
        return new Verdict(Kind.HOLD, comparisons, bias.why());
    }

    private static Comparison compare(
            VerdictSettings settings, Measure measure, Sample before, Sample sample, int look) {
        Estimate trial = Estimate.of(measure, sample.trial());
        Estimate control = Estimate.of(measure, sample.control());
        double given = settings.tolerances().getOrDefault(measure, measure.usualTolerance());
        double tolerance = measure.relative() ? given * control.value() : given;
        Optional<String> tooFew =
                tooFew(settings, measure, "trial", trial).or(() -> tooFew(settings, measure, "control", control));
        double alphaHigh = settings.alpha(look);
        double alphaLow = alphaHigh / settings.tolerances().size();
        Bounds bounds = tooFew.isPresent()
                ? Bounds.NONE
                : Bounds.of(
                        Difference.of(measure, before, sample, measure.relative() ? 1 + given : 1),
                        alphaLow,
                        alphaHigh,
                        Bounds.unseen(measure, control.whole(), alphaLow),
                        Bounds.unseen(measure, trial.whole(), alphaHigh));
        Kind says = bounds.low() > tolerance ? Kind.ROLL_BACK : bounds.high() < tolerance ? Kind.PROMOTE : Kind.HOLD;
        return new Comparison(
                measure,
                trial.value(),
                control.value(),
                bounds.low(),
                bounds.high(),
                tolerance,
                says,
                tooFew.orElseGet(() -> Wording.why(
                        measure,
                        Wording.values(measure, trial.value(), control.value()) + Wording.before(measure, before),
                        bounds,
                        given,
                        says)));
    }

    private static String fewCallers(double callers, int expected) {
        return "hold: the requests on trial are spread like those of " + Wording.count(callers)
                + " equally busy callers (expected: at least " + expected + "; try a larger share)";
    }

    private static Optional<String> tooFew(VerdictSettings settings, Measure measure, String arm, Estimate estimate) {
        if (estimate.whole() < settings.minRequests()) {
            return Optional.of("hold: " + Wording.count(estimate.whole()) + " " + measure.noun() + " on " + arm
                    + " (expected: at least " + Wording.count((double) settings.minRequests()) + ")");
        }
        if (estimate.clusters() < settings.minClusters()) {
            return Optional.of("hold: " + measure.noun() + " in " + estimate.clusters()
                    + " groups of callers or nodes on " + arm + " (expected: at least " + settings.minClusters() + ")");
        }
        return Optional.empty();
    }
}
