package io.sluice.benchmarks;

import io.sluice.benchmarks.annotation.AnnotationLoad;
import io.sluice.benchmarks.doors.DoorLoad;
import io.sluice.benchmarks.faults.Faults;
import io.sluice.benchmarks.fleet.Fleets;
import io.sluice.benchmarks.gateway.GatewayAttacks;
import io.sluice.benchmarks.gateway.GatewayLoad;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.openjdk.jmh.infra.BenchmarkParams;
import org.openjdk.jmh.profile.GCProfiler;
import org.openjdk.jmh.results.Result;
import org.openjdk.jmh.results.RunResult;
import org.openjdk.jmh.runner.Runner;
import org.openjdk.jmh.runner.options.CommandLineOptionException;
import org.openjdk.jmh.runner.options.CommandLineOptions;
import org.openjdk.jmh.runner.options.OptionsBuilder;
import org.openjdk.jmh.runner.options.TimeValue;

/**
 * Runs the benchmarks and prints one table. Each result is also shown as a multiple of the floor of its class, if there is one.
 * Takes the options of JMH. A run without options takes about a quarter of an hour.
 *
 * <p>The first argument can select another benchmark:
 *
 * <ul>
 *   <li>{@code redis [PATTERN [TURNS]]} runs {@link RedisLoad}, which takes some minutes.
 *   <li>{@code faults [F1 …]} injects faults into Redis and nodes and measures what callers notice.
 *   <li>{@code fleet} runs several nodes on one Redis and checks their histories.
 *   <li>{@code node [TURNS]} loads the decision API and the rate limit service of nodes. It needs {@code wrk} and {@code h2load}.
 *   <li>{@code gateway [TURNS]} compares the gateway with others. It needs {@code nginx} as well.
 *   <li>{@code gateway-attacks [TURNS]} measures what callers of the gateway notice while others attack it.
 *   <li>{@code annotation [FORKS]} compares limited methods of Spring with those of Resilience4j.
 *   <li>{@code recording [TURNS]} measures how long a decision takes while a history is written.
 * </ul>
 *
 * <p>The tables are also written to {@code benchmarks/results/}.
 */
public final class Benchmarks {

    private static final Map<String, String> PEERS =
            Map.of("Guava", "33.7.2", "Bucket4j", "8.19.0", "Resilience4j", "2.4.0", "Sentinel", "1.8.9");

    private static final Map<String, String> REDIS_PEERS =
            Map.of("Bucket4j", "8.19.0 on Lettuce 6.8.2", "Redisson", "4.7.0");

    private static final Map<String, String> GATEWAY_PEERS =
            Map.of("Spring Cloud Gateway", "5.0.2 on Spring Boot 4.0.7", "nginx", "as installed");

    private static final Map<String, String> ANNOTATION_PEERS =
            Map.of("Resilience4j", "2.4.0 with resilience4j-spring6");

    private Benchmarks() {}

    public static void main(String[] args) throws Exception {
        if (args.length > 0 && args[0].equals("redis")) {
            String pattern = args.length > 1 ? args[1] : "";
            int turns = args.length > 2 ? Integer.parseInt(args[2]) : 7;
            String table = heading(REDIS_PEERS) + RedisLoad.table(Pattern.compile(pattern), turns);
            System.out.print(table);
            write("redis.md", "./sluice bench redis", table);
            // Some peers leave threads running.
            System.exit(0);
        }
        if (args.length > 0 && args[0].equals("faults")) {
            List<String> ids = List.of(args).subList(1, args.length);
            String table = heading(Map.of()) + String.join("\n", Faults.run(1, ids, System.out)) + "\n";
            if (ids.isEmpty()) {
                write("faults.md", "./sluice bench faults", table);
            }
            System.exit(0);
        }
        if (args.length > 0 && args[0].equals("node")) {
            int turns = args.length > 1 ? Integer.parseInt(args[1]) : 7;
            String table = heading(Map.of()) + DoorLoad.table(turns);
            System.out.print(table);
            write("node.md", "./sluice bench node", table);
            System.exit(0);
        }
        if (args.length > 0 && args[0].equals("recording")) {
            int turns = args.length > 1 ? Integer.parseInt(args[1]) : 20;
            String table = heading(Map.of()) + RecordingCost.table(turns);
            System.out.print(table);
            write("recording.md", "./sluice bench recording", table);
            System.exit(0);
        }
        if (args.length > 0 && args[0].equals("gateway")) {
            int turns = args.length > 1 ? Integer.parseInt(args[1]) : 5;
            Path root = root();
            String peers = (root == null ? Path.of("") : root).resolve("peer-spring-gateway/target/dist/lib") + "/*";
            String table = heading(GATEWAY_PEERS) + GatewayLoad.table(turns, peers);
            System.out.print(table);
            write("gateway.md", "./sluice bench gateway", table);
            System.exit(0);
        }
        if (args.length > 0 && args[0].equals("gateway-attacks")) {
            int turns = args.length > 1 ? Integer.parseInt(args[1]) : 5;
            String table = heading(Map.of()) + GatewayAttacks.table(turns);
            System.out.print(table);
            write("gateway-attacks.md", "./sluice bench gateway-attacks", table);
            System.exit(0);
        }
        if (args.length > 0 && args[0].equals("fleet")) {
            StringBuilder table = new StringBuilder(heading(Map.of()));
            boolean clean = Fleets.run(System.out, table);
            write("fleet.md", "./sluice bench fleet", table.toString());
            System.exit(clean ? 0 : 1);
        }
        if (args.length > 0 && args[0].equals("annotation")) {
            int forks = args.length > 1 ? Integer.parseInt(args[1]) : 2;
            String table = heading(ANNOTATION_PEERS) + AnnotationLoad.table(forks);
            System.out.print(table);
            write("annotation.md", "./sluice bench annotation", table);
            System.exit(0);
        }
        CommandLineOptions given;
        try {
            given = new CommandLineOptions(args);
        } catch (CommandLineOptionException e) {
            System.err.println("sluice bench: " + e.getMessage() + " (expected: the options of JMH; -h lists them)");
            System.exit(2);
            return;
        }
        if (given.shouldHelp()) {
            given.showHelp();
            return;
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
        String table = table(results) + goals(results) + (given.getIncludes().isEmpty() ? bytesPerKey() : "");
        System.out.print(table);
        write("latest.md", "./sluice bench", table);
    }

    private static String table(Collection<RunResult> results) throws IOException {
        Map<String, RunResult> scores = new TreeMap<>();
        for (RunResult result : results) {
            scores.put(name(result), result);
        }
        StringBuilder table = new StringBuilder(heading(PEERS));
        table.append(
                String.format("| %-32s | %14s | %8s | %8s | %8s |%n", "benchmark", "time", "±", "× floor", "B/op"));
        table.append("|----------------------------------|----------------|----------|----------|----------|\n");
        scores.forEach((name, result) -> {
            Result<?> score = result.getPrimaryResult();
            Result<?> allocated = result.getSecondaryResults().get("gc.alloc.rate.norm");
            RunResult floor = scores.get(name.substring(0, name.indexOf('.')) + ".floor");
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

    private static String goals(Collection<RunResult> results) {
        Map<String, Double> times = new TreeMap<>();
        results.forEach(
                result -> times.put(name(result), result.getPrimaryResult().getScore()));
        StringBuilder rows = new StringBuilder();
        Goal.ALL.forEach(goal -> goal.row(times).ifPresent(rows::append));
        return rows.isEmpty()
                ? ""
                : String.format("%n| %-42s | %-7s | %-7s | %-6s |%n", "comparison", "goal", "ratio", "met")
                        + "|--------------------------------------------|---------|---------|--------|\n"
                        + rows;
    }

    private static String bytesPerKey() {
        StringBuilder lines =
                new StringBuilder("\nHeap per key after one use, without the text of the key, at a million keys:\n");
        BytesPerKey.measure().forEach((name, bytes) -> lines.append("- ")
                .append(name)
                .append(": ")
                .append(decimals(1, bytes))
                .append(" B\n"));
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

    private static String heading(Map<String, String> peers) throws IOException {
        return String.format(
                "%nCommit %s, %s %s, %s, %d cores; %s%n%n",
                commit(),
                System.getProperty("java.vm.name"),
                System.getProperty("java.version"),
                System.getProperty("os.arch"),
                Runtime.getRuntime().availableProcessors(),
                new TreeMap<>(peers).toString().replaceAll("[{}]", "").replace('=', ' '));
    }

    private static void write(String name, String command, String table) throws IOException {
        Path root = root();
        if (root != null) {
            Path file = root.resolve("benchmarks/results").resolve(name);
            Files.createDirectories(file.getParent());
            Files.writeString(file, "# The last run of " + command + "\n" + table);
            System.out.println("\nwritten to benchmarks/results/" + name);
        }
    }

    /** Returns the checkout that ./sluice belongs to; null if the program was not started by ./sluice. */
    private static @Nullable Path root() {
        String root = System.getProperty("sluice.root");
        return root == null ? null : Path.of(root);
    }

    private static String commit() throws IOException {
        Path root = root();
        if (root == null || !Files.exists(root.resolve(".git"))) {
            return "unknown";
        }
        Process git = new ProcessBuilder("git", "-C", root.toString(), "rev-parse", "--short", "HEAD").start();
        return new String(git.getInputStream().readAllBytes(), StandardCharsets.UTF_8).strip();
    }

    private static String shortName(String benchmark) {
        int method = benchmark.lastIndexOf('.');
        return benchmark.substring(benchmark.lastIndexOf('.', method - 1) + 1);
    }
}
