package io.sluice.benchmarks;

import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/**
 * A ratio of two measured times, and what it should be.
 *
 * @param what for people
 * @param over the times of which the least is divided
 * @param under by this one
 * @param most whether the ratio should be at most {@code bound}, or else at least
 */
record Goal(String what, List<String> over, String under, boolean most, double bound) {

    /** In process, one run. */
    static final List<Goal> ALL = List.of(
            atMost("allowed, next to clock + compare-and-set", "InProcess.sluiceGate", "InProcess.floor", 1.10),
            atMost("refused, next to the clock", "Refused.sluiceGate", "Refused.floor", 1.15),
            atLeast(
                    "the fastest peer, allowed",
                    List.of("InProcess.guava", "InProcess.bucket4j", "InProcess.resilience4j", "InProcess.sentinel"),
                    "InProcess.sluiceGate",
                    1.35),
            atLeast(
                    "the fastest peer, refused",
                    List.of("Refused.guava", "Refused.bucket4j", "Refused.resilience4j", "Refused.sentinel"),
                    "Refused.sluiceGate",
                    1.45),
            atLeast("Bucket4j's probe", List.of("InProcess.bucket4jRich"), "InProcess.sluiceGateRich", 1.8),
            atLeast(
                    "2 threads, refused, Bucket4j",
                    List.of("TwoThreads.refusedBucket4j"),
                    "TwoThreads.refusedSluice",
                    1.5),
            atLeast("2 threads, refused, Guava", List.of("TwoThreads.refusedGuava"), "TwoThreads.refusedSluice", 3),
            atLeast(
                    "2 threads, striped, the fastest peer",
                    List.of("TwoThreads.allowedGuava", "TwoThreads.allowedBucket4j", "TwoThreads.allowedResilience4j"),
                    "TwoThreads.allowedSluiceStriped",
                    10),
            atLeast("1 M keys, map + Bucket4j", List.of("ManyKeys.bucket4j 1000000"), "ManyKeys.sluice 1000000", 1.9),
            atLeast("1 M keys, map + Guava", List.of("ManyKeys.guava 1000000"), "ManyKeys.sluiceTry 1000000", 1.2),
            atMost("four limits, next to one", "InProcess.sluiceFour", "InProcess.sluiceLimiter", 4.4),
            atMost("100,000 rules, next to 100", "Matching.few 100000", "Matching.few 100", 2),
            atMost("the same, 4,096 callers", "Matching.wide 100000", "Matching.wide 100", 2));

    private static Goal atMost(String what, String over, String under, double bound) {
        return new Goal(what, List.of(over), under, true, bound);
    }

    private static Goal atLeast(String what, List<String> over, String under, double bound) {
        return new Goal(what, over, under, false, bound);
    }

    /** A row of the table; none if not all of it was measured. */
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
