package io.sluice.benchmarks;

import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/**
 * A ratio of two measured times, and the goal for it.
 *
 * @param what describes the comparison
 * @param over the benchmarks of which the fastest is the numerator
 * @param under the benchmark that is the denominator
 * @param most whether {@code bound} is a maximum; otherwise it is a minimum
 */
record Goal(String what, List<String> over, String under, boolean most, double bound) {

    /** The goals for the in-process benchmarks, all measured in one run. */
    static final List<Goal> ALL = List.of(
            atMost("allowed: Sluice vs clock + compare-and-set", "InProcess.sluiceGate", "InProcess.floor", 1.10),
            atMost("refused: Sluice vs clock", "Refused.sluiceGate", "Refused.floor", 1.15),
            atLeast(
                    "allowed: fastest peer vs Sluice",
                    List.of("InProcess.guava", "InProcess.bucket4j", "InProcess.resilience4j", "InProcess.sentinel"),
                    "InProcess.sluiceGate",
                    1.35),
            atLeast(
                    "refused: fastest peer vs Sluice",
                    List.of("Refused.guava", "Refused.bucket4j", "Refused.resilience4j", "Refused.sentinel"),
                    "Refused.sluiceGate",
                    1.45),
            atLeast("Bucket4j's probe vs Sluice", List.of("InProcess.bucket4jRich"), "InProcess.sluiceGateRich", 1.8),
            atLeast(
                    "2 threads, refused: Bucket4j vs Sluice",
                    List.of("TwoThreads.refusedBucket4j"),
                    "TwoThreads.refusedSluice",
                    1.5),
            atLeast(
                    "2 threads, refused: Guava vs Sluice",
                    List.of("TwoThreads.refusedGuava"),
                    "TwoThreads.refusedSluice",
                    3),
            atLeast(
                    "2 threads, striped: fastest peer vs Sluice",
                    List.of("TwoThreads.allowedGuava", "TwoThreads.allowedBucket4j", "TwoThreads.allowedResilience4j"),
                    "TwoThreads.allowedSluiceStriped",
                    10),
            atLeast(
                    "1 M keys: map + Bucket4j vs Sluice",
                    List.of("ManyKeys.bucket4j 1000000"),
                    "ManyKeys.sluice 1000000",
                    1.9),
            atLeast(
                    "1 M keys: map + Guava vs Sluice",
                    List.of("ManyKeys.guava 1000000"),
                    "ManyKeys.sluiceTry 1000000",
                    1.2),
            atMost("four limits vs one", "InProcess.sluiceFour", "InProcess.sluiceLimiter", 4.4),
            atMost("100,000 rules vs 100", "Matching.few 100000", "Matching.few 100", 2),
            atMost("100,000 rules vs 100, 4,096 requests", "Matching.wide 100000", "Matching.wide 100", 2));

    private static Goal atMost(String what, String over, String under, double bound) {
        return new Goal(what, List.of(over), under, true, bound);
    }

    private static Goal atLeast(String what, List<String> over, String under, double bound) {
        return new Goal(what, over, under, false, bound);
    }

    /** Returns the row of this goal; empty if one of its benchmarks was not measured. */
    Optional<String> row(Map<String, Double> times) {
        if (!times.containsKey(under) || !times.keySet().containsAll(over)) {
            return Optional.empty();
        }
        double least = over.stream().mapToDouble(times::get).min().orElseThrow();
        double ratio = least / times.get(under);
        boolean met = most ? ratio <= bound : ratio >= bound;
        return Optional.of(String.format(
                Locale.ROOT,
                "| %-42s | %s %5.2f | %7.2f | %-6s |%n",
                what,
                most ? "≤" : "≥",
                bound,
                ratio,
                met ? "yes" : "no"));
    }
}
