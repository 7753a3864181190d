package io.sluice.benchmarks;

import java.util.Collection;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import org.openjdk.jmh.results.Result;
import org.openjdk.jmh.results.RunResult;
import org.openjdk.jmh.runner.Runner;
import org.openjdk.jmh.runner.options.CommandLineOptions;
import org.openjdk.jmh.runner.options.OptionsBuilder;
import org.openjdk.jmh.runner.options.TimeValue;

/**
 * Runs the benchmarks and prints one table: each next to the floor of its class. Takes the options of JMH; without any, a
 * few minutes.
 */
public final class Benchmarks {

    private Benchmarks() {}

    public static void main(String[] args) throws Exception {
        CommandLineOptions given = new CommandLineOptions(args);
        OptionsBuilder options = new OptionsBuilder();
        options.parent(given);
        if (given.getIncludes().isEmpty()) {
            options.include("io\\.sluice\\.benchmarks\\..*");
        }
        if (!given.getForkCount().hasValue()) {
            options.forks(2);
        }
        if (!given.getWarmupIterations().hasValue()) {
            options.warmupIterations(3).warmupTime(TimeValue.seconds(2));
        }
        if (!given.getMeasurementIterations().hasValue()) {
            options.measurementIterations(5).measurementTime(TimeValue.seconds(2));
        }
        print(new Runner(options.build()).run());
    }

    private static void print(Collection<RunResult> results) {
        Map<String, Result<?>> scores = new TreeMap<>();
        for (RunResult result : results) {
            scores.put(shortName(result.getParams().getBenchmark()), result.getPrimaryResult());
        }
        System.out.printf(
                "%n%s %s, %s, %d cores%n%n",
                System.getProperty("java.vm.name"),
                System.getProperty("java.version"),
                System.getProperty("os.arch"),
                Runtime.getRuntime().availableProcessors());
        System.out.printf("| %-28s | %12s | %10s |%n", "benchmark", "time", "× floor");
        System.out.println("|------------------------------|--------------|------------|");
        scores.forEach((name, score) -> {
            Result<?> floor = scores.get(name.substring(0, name.indexOf('.')) + ".floor");
            String ratio = floor == null ? "" : String.format(Locale.ROOT, "%.2f", score.getScore() / floor.getScore());
            System.out.printf(
                    Locale.ROOT, "| %-28s | %6.1f %5s | %10s |%n", name, score.getScore(), score.getScoreUnit(), ratio);
        });
    }

    private static String shortName(String benchmark) {
        int method = benchmark.lastIndexOf('.');
        return benchmark.substring(benchmark.lastIndexOf('.', method - 1) + 1);
    }
}
