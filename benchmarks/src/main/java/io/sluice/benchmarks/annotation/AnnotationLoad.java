package io.sluice.benchmarks.annotation;

import io.sluice.benchmarks.goals.Figures;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import org.openjdk.jmh.profile.GCProfiler;
import org.openjdk.jmh.results.Result;
import org.openjdk.jmh.results.RunResult;
import org.openjdk.jmh.runner.Runner;
import org.openjdk.jmh.runner.RunnerException;
import org.openjdk.jmh.runner.options.OptionsBuilder;
import org.openjdk.jmh.runner.options.TimeValue;

/** Runs the calls with one thread and with two, and compares them with Resilience4j. The goal is to be at least as fast. */
public final class AnnotationLoad {

    private AnnotationLoad() {}

    /**
     * Measures and returns a table.
     *
     * @param forks how many forks each benchmark runs; each fork measures for some seconds, a single one more briefly
     */
    public static String table(int forks, Figures figures) throws RunnerException {
        StringBuilder table = new StringBuilder("""
                | call                                 | threads |      time |       ± |   B/op | × Resilience4j | goal |
                |--------------------------------------|---------|-----------|---------|--------|----------------|------|
                """);
        double slowest = 0;
        for (int threads = 1; threads <= 2; threads++) {
            Map<String, RunResult> results = new TreeMap<>();
            for (RunResult result : new Runner(new OptionsBuilder()
                            .include("io\\.sluice\\.benchmarks\\.annotation\\..*")
                            .threads(threads)
                            .forks(forks)
                            .warmupIterations(forks > 1 ? 3 : 2)
                            .warmupTime(TimeValue.seconds(1))
                            .measurementIterations(forks > 1 ? 4 : 3)
                            .measurementTime(TimeValue.seconds(1))
                            .addProfiler(GCProfiler.class)
                            .build())
                    .run()) {
                String name = result.getParams().getBenchmark();
                results.put(name.substring(name.lastIndexOf('.', name.lastIndexOf('.') - 1) + 1), result);
            }
            int used = threads;
            results.forEach((name, result) -> table.append(row(name, used, result, results)));
            slowest = Math.max(slowest, slowest(results));
        }
        figures.add("slowest case", slowest);
        return table.toString();
    }

    /** Returns the largest ratio of a method with our annotation to the same method with Resilience4j's. */
    private static double slowest(Map<String, RunResult> all) {
        return all.entrySet().stream()
                .filter(each -> each.getKey().contains("sluice"))
                .mapToDouble(each -> ratio(each.getKey(), each.getValue(), all))
                .max()
                .orElse(Double.NaN);
    }

    private static double ratio(String name, RunResult result, Map<String, RunResult> all) {
        RunResult peer = all.get(name.substring(0, name.indexOf('.')) + ".resilience4j");
        return peer == null
                ? 0
                : result.getPrimaryResult().getScore() / peer.getPrimaryResult().getScore();
    }

    private static String row(String name, int threads, RunResult result, Map<String, RunResult> all) {
        Result<?> score = result.getPrimaryResult();
        Result<?> bytes = result.getSecondaryResults().get("gc.alloc.rate.norm");
        double ratio = ratio(name, result, all);
        return String.format(
                Locale.ROOT,
                "| %-36s | %7d | %6.0f ns | %7.0f | %6.0f | %14.2f | %-4s |%n",
                name,
                threads,
                score.getScore(),
                score.getScoreError(),
                bytes == null ? 0 : bytes.getScore(),
                ratio,
                name.contains("sluice") ? ratio <= 1 ? "met" : "no" : "");
    }
}
