package io.sluice.benchmarks.verdicts;

import io.sluice.center.verdict.Measure;
import io.sluice.center.verdict.VerdictSettings;
import java.util.Map;
import java.util.Set;

/**
 * A trial with known truth.
 *
 * @param before the callers with the version in force
 * @param after the same callers with the version on trial
 * @param share of the callers or nodes that are on trial
 * @param baseline how many intervals were counted before the trial
 */
record Scenario(
        String name,
        Population before,
        Population after,
        Set<Measure> compared,
        double share,
        Assignment assignment,
        int baseline) {

    /** Who is on trial. */
    enum Assignment {
        /** A hash chooses callers. */
        RANDOM,
        /** A hash chooses callers, and refused requests are tried three more times. */
        RANDOM_WITH_RETRIES,
        /** A hash chooses callers, and all are refused at the same time, because they share a limit. */
        RANDOM_OF_ONE_TENANT,
        /** Callers that are refused often are never on trial. */
        HEAVY_IN_CONTROL,
        /** Callers that are refused often are always on trial. */
        HEAVY_ON_TRIAL,
        /** As before, but a person named them. */
        NAMED,
        /** Nodes are on trial. */
        NODES
    }

    /** What is true about the version on trial. */
    enum Truth {
        /** Better than the tolerance allows: a rollback is wrong. */
        BETTER("better"),
        /** Exactly as bad as the tolerance allows: each verdict is wrong. */
        AT_TOLERANCE("at the limit"),
        /** Worse than the tolerance allows: a promotion is wrong. */
        WORSE("worse"),
        /** The arms cannot be compared: each verdict is wrong. */
        BIASED("biased");

        private final String word;

        Truth(String word) {
            this.word = word;
        }

        String word() {
            return word;
        }
    }

    private static final double ROUNDING = 1e-6;

    VerdictSettings settings() {
        return assignment == Assignment.NODES ? VerdictSettings.ofNodes(compared) : VerdictSettings.ofCallers(compared);
    }

    Truth truth() {
        switch (assignment) {
            case HEAVY_IN_CONTROL, HEAVY_ON_TRIAL, NAMED -> {
                return Truth.BIASED;
            }
            default -> {
                double excess = excess();
                return Math.abs(excess) < ROUNDING ? Truth.AT_TOLERANCE : excess > 0 ? Truth.WORSE : Truth.BETTER;
            }
        }
    }

    /** Returns by how much the worst measure exceeds its tolerance. */
    private double excess() {
        Map<Measure, Double> differences = Map.of(
                Measure.REFUSALS, after.refusedShare() - before.refusedShare(),
                Measure.ERRORS, after.errorShare() - before.errorShare(),
                Measure.LATENCY, after.meanLatency() / before.meanLatency() - 1,
                Measure.DEGRADED, after.degraded() - before.degraded());
        return settings().tolerances().entrySet().stream()
                .mapToDouble(each -> differences.getOrDefault(each.getKey(), 0.0) - each.getValue())
                .max()
                .orElseThrow();
    }
}
