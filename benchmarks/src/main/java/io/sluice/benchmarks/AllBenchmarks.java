package io.sluice.benchmarks;

import io.sluice.benchmarks.goals.Figures;
import io.sluice.benchmarks.goals.GoalTable;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * Runs every benchmark in a process of its own, one after the other, and writes which goals the run met. If a benchmark fails, the
 * others still run.
 */
final class AllBenchmarks {

    /** A benchmark that takes longer hangs. */
    private static final long MOST_MINUTES = 20;

    private static final int SHOWN_LINES = 15;

    private static final String SHAPES_WITH_GOALS =
            "^(1 caller|64 callers|64 callers, hot key|256 in flight)/(?!.*recorded)";
    private static final String SHAPES_IN_HASTE = "^(64 callers|64 callers, hot key|256 in flight)/(?!.*recorded)";

    /**
     * A benchmark with its arguments. They are smaller than those of the benchmark alone, so that the whole run ends in time.
     *
     * @param name empty for the in-process benchmarks, which take the options of JMH
     * @param page the name of its page
     */
    private record Step(String name, String page, List<String> usual, List<String> quick) {}

    private static final List<Step> STEPS = List.of(
            new Step("", "latest", jmh(2, 3, "600ms"), jmh(1, 1, "200ms")),
            new Step("redis", "redis", List.of(SHAPES_WITH_GOALS, "3"), List.of(SHAPES_IN_HASTE, "1")),
            new Step("redis-cost", "redis-cost", List.of("9"), List.of("1")),
            new Step("fleet", "fleet", List.of("0.4"), List.of("0.2")),
            new Step("faults", "faults", List.of("0.1"), List.of("0.01")),
            new Step("node", "node", List.of("2"), List.of("1")),
            new Step("gateway", "gateway", List.of("2"), List.of("1")),
            new Step("gateway-attacks", "gateway-attacks", List.of("1"), List.of("1")),
            new Step("annotation", "annotation", List.of("1"), List.of("1")),
            new Step("services", "services", List.of("3"), List.of("1")),
            new Step("start", "start", List.of("10", "10"), List.of("1", "2")),
            new Step("center", "center", List.of("5"), List.of("1", "20", "1000")),
            new Step("console", "console", List.of("3"), List.of("1", "20", "1000")),
            new Step("verdicts", "verdicts", List.of("1000"), List.of("20")),
            new Step("recording", "recording", List.of("6"), List.of("1")),
            new Step("keep", "keep", List.of("9", "10"), List.of("1", "3")),
            new Step("replay", "replay", List.of("1000000", "3"), List.of("100000", "1")));

    private AllBenchmarks() {}

    /** Returns the exit code of the process: 0 if every benchmark made its table, whether or not the goals are met. */
    static int run(List<String> args) throws IOException, InterruptedException {
        boolean quick = args.equals(List.of("--quick"));
        if (!quick && !args.isEmpty()) {
            System.err.println("sluice bench all: " + args + " (expected: nothing, or --quick)");
            return 2;
        }
        if (quick) {
            // Such figures must not replace those of a whole run.
            System.setProperty(Results.FOLDER, "benchmarks/target/quick");
        }
        String heading = Results.heading(Map.of());
        Figures figures = new Figures("all");
        StringBuilder tables = new StringBuilder("| table | took | failed |\n|---|---|---|\n");
        List<String> failed = new ArrayList<>();
        long start = System.nanoTime();
        for (Step step : STEPS) {
            long begin = System.nanoTime();
            boolean well = run(step, quick ? step.quick : step.usual);
            if (!well) {
                failed.add(step.page);
            }
            boolean measured = Files.exists(Results.figures(step.page));
            if (measured) {
                figures.read(Results.figures(step.page));
            }
            String took = minutes(System.nanoTime() - begin);
            System.out.println("  " + (well ? "done" : "failed") + " after " + took);
            String table = measured ? "[" + step.page + "](" + step.page + ".md)" : step.page;
            tables.append(String.format(
                    "| %s | %s | %s |%n", table, took, well ? "" : measured ? "yes" : "yes; there is no new table"));
        }
        String whole = "The run took " + minutes(System.nanoTime() - start)
                + (quick ? " in its quick form, which says little." : ".");
        String goals = GoalTable.ofAll(figures);
        System.out.println("\n" + goals);
        Results.write(
                "README.md",
                "# The last run of ./sluice bench all\n" + heading + whole + " " + goals + "\n## Tables\n\n" + tables);
        System.out.println(whole + (failed.isEmpty() ? "" : " Failed: " + String.join(", ", failed) + "."));
        return failed.isEmpty() ? 0 : 1;
    }

    private static boolean run(Step step, List<String> args) throws IOException, InterruptedException {
        Path log = Results.scratch("logs").resolve(step.page + ".log");
        Files.createDirectories(log.getParent());
        Files.deleteIfExists(Results.figures(step.page));
        System.out.println(step.page + ": its output goes to " + log);
        Process process = new ProcessBuilder(command(step, args))
                .redirectErrorStream(true)
                .redirectOutput(log.toFile())
                .start();
        if (!process.waitFor(MOST_MINUTES, TimeUnit.MINUTES)) {
            process.descendants().forEach(ProcessHandle::destroyForcibly);
            process.destroyForcibly();
            System.out.println("  stopped after " + MOST_MINUTES + " minutes");
            return false;
        }
        if (process.exitValue() != 0) {
            List<String> lines = Files.readAllLines(log);
            lines.subList(Math.max(0, lines.size() - SHOWN_LINES), lines.size())
                    .forEach(line -> System.out.println("  " + line));
            return false;
        }
        return Files.exists(Results.figures(step.page));
    }

    private static List<String> command(Step step, List<String> args) {
        List<String> command = new ArrayList<>();
        command.add(System.getProperty("java.home") + "/bin/java");
        command.addAll(ManagementFactory.getRuntimeMXBean().getInputArguments());
        String folder = System.getProperty(Results.FOLDER);
        if (folder != null) {
            command.add("-D" + Results.FOLDER + "=" + folder);
        }
        command.addAll(List.of("-cp", System.getProperty("java.class.path"), Benchmarks.class.getName()));
        if (!step.name.isEmpty()) {
            command.add(step.name);
        }
        command.addAll(args);
        return command;
    }

    /** Returns options of JMH for the sizes that have goals. */
    private static List<String> jmh(int warmUps, int turns, String seconds) {
        return List.of(
                "-f",
                "1",
                "-wi",
                "" + warmUps,
                "-w",
                seconds,
                "-i",
                "" + turns,
                "-r",
                seconds,
                "-p",
                "keys=1000000",
                "-p",
                "rules=100,100000");
    }

    private static String minutes(long nanos) {
        long seconds = TimeUnit.NANOSECONDS.toSeconds(nanos);
        return String.format("%d:%02d min", seconds / 60, seconds % 60);
    }
}
