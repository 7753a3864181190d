package io.sluice.benchmarks.verdicts;

import io.sluice.center.verdict.Verdict.Kind;
import java.util.List;
import java.util.stream.IntStream;

/**
 * How the trials of a scenario ended.
 *
 * @param biased how many were held because of a bias
 * @param look the median number of looks until a verdict, 0 without any
 */
record Outcomes(Scenario scenario, int trials, int promoted, int rolledBack, int biased, int look) {

    /** The spacing that {@link io.sluice.center.verdict.Looks} recommends. */
    private static final int[] LOOKS = {1, 2, 4, 8, 16, 32};

    /** Runs trials. Each has a seed of its own, so the result does not depend on the number of threads. */
    static Outcomes of(Scenario scenario, int trials, long seed) {
        List<Trial.End> ends = IntStream.range(0, trials)
                .parallel()
                .mapToObj(i -> new Trial(scenario, seed + i).run(scenario.settings(), LOOKS))
                .toList();
        List<Integer> looks = ends.stream()
                .filter(end -> end.kind() != Kind.HOLD)
                .map(Trial.End::look)
                .sorted()
                .toList();
        return new Outcomes(
                scenario,
                trials,
                (int) ends.stream().filter(end -> end.kind() == Kind.PROMOTE).count(),
                (int) ends.stream().filter(end -> end.kind() == Kind.ROLL_BACK).count(),
                (int) ends.stream().filter(Trial.End::biased).count(),
                looks.isEmpty() ? 0 : looks.get(looks.size() / 2));
    }

    int held() {
        return trials - promoted - rolledBack;
    }

    int falsePromotions() {
        return scenario.truth() == Scenario.Truth.BETTER ? 0 : promoted;
    }

    int falseRollbacks() {
        return scenario.truth() == Scenario.Truth.WORSE ? 0 : rolledBack;
    }
}
