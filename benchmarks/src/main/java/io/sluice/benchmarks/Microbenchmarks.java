package io.sluice.benchmarks;

import io.sluice.benchmarks.goals.Figures;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import org.openjdk.jmh.infra.BenchmarkParams;
import org.openjdk.jmh.profile.GCProfiler;
import org.openjdk.jmh.results.Result;
import org.openjdk.jmh.results.RunResult;
import org.openjdk.jmh.runner.Runner;
import org.openjdk.jmh.runner.options.CommandLineOptions;
import org.openjdk.jmh.runner.options.OptionsBuilder;
import org.openjdk.jmh.runner.options.TimeValue;

/** The benchmarks that run by JMH. Each result is also shown as a multiple of the floor of its class, if there is one. */
final class Microbenchmarks {

    private Microbenchmarks() {}

    /**
     * Runs the benchmarks and returns a table; an empty one if the arguments ask for help.
     *
     * @param args the options of JMH
     */
    static String table(List<String> args, Figures figures) throws Exception {
        CommandLineOptions given = new CommandLineOptions(args.toArray(String[]::new));
        if (given.shouldHelp()) {
            given.showHelp();
            return "";
        }
        OptionsBuilder options = new OptionsBuilder();
        options.parent(given);
        if (given.getIncludes().isEmpty()) {
            options.include("io\\.sluice\\.benchmarks\\..*").exclude("io\\.sluice\\.benchmarks\\.annotation\\..*");
        }
        if (!given.getForkCount().hasValue()) {
            options.forks(2);
        }
        if (!given.getWarmupIterations().hasValue()) {
            options.warmupIterations(3).warmupTime(TimeValue.seconds(1));
        }
        if (!given.getMeasurementIterations().hasValue()) {
            options.measurementIterations(5).measurementTime(TimeValue.seconds(1));
        }
        options.addProfiler(GCProfiler.class);
        Collection<RunResult> results = new Runner(options.build()).run();
        return table(results, figures) + (given.getIncludes().isEmpty() ? bytesPerKey(figures) : "");
    }

    private static String table(Collection<RunResult> results, Figures figures) {
        Map<String, RunResult> scores = new TreeMap<>();
        for (RunResult result : results) {
            scores.put(name(result), result);
        }
        StringBuilder table = new StringBuilder(
                String.format("| %-32s | %14s | %8s | %8s | %8s |%n", "benchmark", "time", "±", "× floor", "B/op"));
        table.append("|----------------------------------|----------------|----------|----------|----------|\n");
        scores.forEach((name, result) -> {
            Result<?> score = result.getPrimaryResult();
            Result<?> allocated = result.getSecondaryResults().get("gc.alloc.rate.norm");
            RunResult floor = scores.get(name.substring(0, name.indexOf('.')) + ".floor");
            figures.add(name, score.getScore());
            if (allocated != null) {
                figures.add(name + "/B", allocated.getScore());
            }
            table.append(String.format(
                    Locale.ROOT,
                    "| %-32s | %8.1f %5s | %8.1f | %8s | %8s |%n",
                    name,
                    score.getScore(),
                    score.getScoreUnit(),
                    score.getScoreError(),
                    floor == null
                            ? ""
                            : decimals(
                                    2,
                                    score.getScore() / floor.getPrimaryResult().getScore()),
                    allocated == null ? "" : decimals(0, allocated.getScore())));
        });
        return table.toString();
    }

    private static String bytesPerKey(Figures figures) {
        StringBuilder lines =
                new StringBuilder("\nHeap per key after one use, without the text of the key, at a million keys:\n");
        BytesPerKey.measure().forEach((name, bytes) -> {
            figures.add("heap per key/" + name, bytes);
            lines.append("- ")
                    .append(name)
                    .append(": ")
                    .append(decimals(1, bytes))
                    .append(" B\n");
        });
        return lines.toString();
    }

    private static String name(RunResult result) {
        BenchmarkParams params = result.getParams();
        StringBuilder name = new StringBuilder(shortName(params.getBenchmark()));
        params.getParamsKeys().forEach(key -> name.append(' ').append(params.getParam(key)));
        return name.toString();
    }

    private static String decimals(int places, double number) {
        return String.format(Locale.ROOT, "%." + places + "f", number);
    }

    private static String shortName(String benchmark) {
        int method = benchmark.lastIndexOf('.');
        return benchmark.substring(benchmark.lastIndexOf('.', method - 1) + 1);
    }
}
