package io.sluice.benchmarks;

import io.sluice.benchmarks.annotation.AnnotationLoad;
import io.sluice.benchmarks.center.CenterLoad;
import io.sluice.benchmarks.center.ConsoleLoad;
import io.sluice.benchmarks.center.HeadlessBrowser;
import io.sluice.benchmarks.doors.DoorLoad;
import io.sluice.benchmarks.doors.ServiceLoad;
import io.sluice.benchmarks.faults.Faults;
import io.sluice.benchmarks.fleet.Fleets;
import io.sluice.benchmarks.gateway.GatewayAttacks;
import io.sluice.benchmarks.gateway.GatewayLoad;
import io.sluice.benchmarks.goals.Figures;
import io.sluice.benchmarks.goals.GoalTable;
import io.sluice.benchmarks.keep.KeepRun;
import io.sluice.benchmarks.processes.Checkout;
import io.sluice.benchmarks.replay.ReplayLoad;
import io.sluice.benchmarks.replay.ReplayMemory;
import io.sluice.benchmarks.start.NodeStart;
import io.sluice.benchmarks.verdicts.Verdicts;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
import java.util.regex.Pattern;
import org.openjdk.jmh.runner.options.CommandLineOptionException;

/**
 * Runs a benchmark, prints its table and the goals that it can judge, and writes both to {@code benchmarks/results/}. Without a name,
 * it runs the {@linkplain Microbenchmarks in-process benchmarks} with the options of JMH; without options they take about a quarter
 * of an hour.
 *
 * <p>The first argument can select another benchmark:
 *
 * <ul>
 *   <li>{@code all [--quick]} runs {@linkplain AllBenchmarks every benchmark} and writes which goals are met.
 *   <li>{@code redis [PATTERN [TURNS]]} runs {@link RedisLoad}, which takes some minutes.
 *   <li>{@code redis-cost [TURNS]} measures the time and memory that a decision takes in Redis.
 *   <li>{@code faults [SCALE] [F1 …]} injects faults into Redis and nodes and measures what callers notice.
 *   <li>{@code fleet [SCALE]} runs several nodes on one Redis and checks their histories.
 *   <li>{@code node [TURNS]} loads the decision API and the rate limit service of nodes. It needs {@code wrk} and {@code h2load}.
 *   <li>{@code gateway [TURNS]} compares the gateway with others. It needs {@code nginx} as well.
 *   <li>{@code gateway-attacks [TURNS]} measures what callers of the gateway notice while others attack it.
 *   <li>{@code annotation [FORKS]} compares limited methods of Spring with those of Resilience4j.
 *   <li>{@code services [TURNS]} compares the rate limit service with one in Go, which {@code benchmarks/go-peers} builds.
 *   <li>{@code start [STARTS [SECONDS]]} measures how soon a node serves, its memory, and its first decisions.
 *   <li>{@code center [RELEASES [NODES [RULES]]]} releases many rules to many simulated nodes.
 *   <li>{@code console [TURNS [NODES [RULES]]]} opens each view of the console over much data. It needs {@code chromium}.
 *   <li>{@code verdicts [TRIALS]} simulates trials with known truth and counts wrong verdicts.
 *   <li>{@code recording [TURNS]} measures how long a decision takes while a history is written.
 *   <li>{@code keep [TURNS [SECONDS]]} compares decisions with and without {@code keep}, and shows who passes under overload.
 *   <li>{@code replay [LINES [TURNS]]} replays a log, beside reading its lines alone.
 *   <li>{@code replay-memory [LINES]} fills the bounds of a replay, and replays a log of 100 million lines.
 * </ul>
 */
public final class Benchmarks {

    /** Returns a table, and adds its numbers to the figures. */
    private interface Measurement {
        String table(List<String> args, Figures figures) throws Exception;
    }

    /**
     * A benchmark.
     *
     * @param live whether it prints its rows itself, as soon as it has them
     * @param whole whether a run with the given arguments makes the whole table; only that is written
     */
    private record Part(
            String name,
            Map<String, String> peers,
            boolean live,
            Predicate<List<String>> whole,
            Measurement measurement) {

        static Part of(String name, Map<String, String> peers, Measurement measurement) {
            return new Part(name, peers, false, args -> true, measurement);
        }
    }

    private static final Part IN_PROCESS = Part.of(
            "latest",
            Map.of("Guava", "33.7.2", "Bucket4j", "8.19.0", "Resilience4j", "2.4.0", "Sentinel", "1.8.9"),
            Microbenchmarks::table);

    private static final List<Part> PARTS = List.of(
            Part.of(
                    "redis",
                    Map.of("Bucket4j", "8.19.0 on Lettuce 6.8.2", "Redisson", "4.7.0"),
                    (args, figures) -> RedisLoad.table(
                            Pattern.compile(args.isEmpty() ? "" : args.get(0)), number(args, 1, 7), figures)),
            Part.of("redis-cost", Map.of(), (args, figures) -> RedisCost.table(number(args, 0, 15), figures)),
            new Part(
                    "faults",
                    Map.of(),
                    true,
                    args -> ids(args).isEmpty(),
                    (args, figures) ->
                            String.join("\n", Faults.run(scale(args), ids(args), System.out, figures)) + "\n"),
            new Part(
                    "fleet",
                    Map.of(),
                    true,
                    args -> true,
                    (args, figures) -> Fleets.run(scale(args), System.out, figures)),
            Part.of("node", Map.of(), (args, figures) -> DoorLoad.table(number(args, 0, 7), figures)),
            Part.of(
                    "gateway",
                    Map.of("Spring Cloud Gateway", "5.0.2 on Spring Boot 4.0.7", "nginx", "as installed"),
                    (args, figures) -> GatewayLoad.table(number(args, 0, 5), springGateway(), figures)),
            new Part(
                    "gateway-attacks",
                    Map.of(),
                    false,
                    args -> args.size() < 2,
                    (args, figures) -> GatewayAttacks.table(number(args, 0, 5), args.size() < 2 ? "" : args.get(1))),
            Part.of(
                    "annotation",
                    Map.of("Resilience4j", "2.4.0 with resilience4j-spring6"),
                    (args, figures) -> AnnotationLoad.table(number(args, 0, 2), figures)),
            Part.of(
                    "services",
                    Map.of("envoyproxy/ratelimit", goVersion()),
                    (args, figures) -> ServiceLoad.table(
                            number(args, 0, 7), Results.scratch("go-peers").resolve("ratelimit"), figures)),
            Part.of(
                    "start",
                    Map.of(),
                    (args, figures) -> NodeStart.table(
                            number(args, 0, 10), MixedRules.document(100_000), number(args, 1, 10), figures)),
            Part.of("center", Map.of(), (args, figures) -> {
                int rules = number(args, 2, 10_000);
                return CenterLoad.table(
                        number(args, 1, 200),
                        rules,
                        number(args, 0, 7),
                        i -> MixedRules.document(rules).replace("100/s", 100 + i + "/s"),
                        figures);
            }),
            Part.of("console", Map.of("Chromium", HeadlessBrowser.version()), (args, figures) -> {
                int rules = number(args, 2, 10_000);
                return ConsoleLoad.table(
                        number(args, 1, 200), rules, number(args, 0, 5), MixedRules.document(rules), figures);
            }),
            Part.of("verdicts", Map.of(), (args, figures) -> Verdicts.table(number(args, 0, 1_000), figures)),
            Part.of("recording", Map.of(), (args, figures) -> RecordingCost.table(number(args, 0, 20))),
            Part.of(
                    "keep",
                    Map.of(),
                    (args, figures) -> KeepCost.table(number(args, 0, 15), figures)
                            + "\n"
                            + KeepRun.table(number(args, 1, 60), figures)),
            Part.of(
                    "replay",
                    Map.of(),
                    (args, figures) -> ReplayLoad.table(number(args, 0, 2_000_000), number(args, 1, 5), figures)),
            new Part(
                    "replay-memory",
                    Map.of(),
                    false,
                    List::isEmpty,
                    (args, figures) -> ReplayMemory.table(number(args, 0, 100_000_000))));

    private Benchmarks() {}

    public static void main(String[] args) throws Exception {
        List<String> given = List.of(args);
        String name = given.isEmpty() ? "" : given.get(0);
        if (name.equals("all")) {
            System.exit(AllBenchmarks.run(given.subList(1, given.size())));
        }
        Part part = PARTS.stream()
                .filter(each -> each.name.equals(name))
                .findFirst()
                .orElse(IN_PROCESS);
        try {
            run(part, part.equals(IN_PROCESS) ? given : given.subList(1, given.size()));
        } catch (CommandLineOptionException e) {
            System.err.println("sluice bench: " + e.getMessage() + " (expected: the options of JMH; -h lists them)");
            System.exit(2);
        }
    }

    private static void run(Part part, List<String> args) throws Exception {
        Figures figures = new Figures(part.name);
        String table = part.measurement.table(args, figures);
        String goals = GoalTable.ofMeasured(figures);
        System.out.print((part.live ? "" : table) + goals);
        if (!table.isEmpty() && part.whole.test(args)) {
            String command = part.equals(IN_PROCESS) ? "./sluice bench" : "./sluice bench " + part.name;
            Results.write(
                    part.name + ".md",
                    "# The last run of " + command + "\n" + Results.heading(part.peers) + table + goals);
            figures.write(Results.figures(part.name));
        }
        // A violation is a defect, unlike a goal that is missed. Some peers leave threads running.
        System.exit(figures.get(part.name + "/violations").orElse(0) > 0 ? 1 : 0);
    }

    private static int number(List<String> args, int at, int usual) {
        return args.size() > at ? Integer.parseInt(args.get(at)) : usual;
    }

    /** Returns the first argument if it is a number. */
    private static double scale(List<String> args) {
        return args.isEmpty() || !Character.isDigit(args.get(0).charAt(0)) ? 1 : Double.parseDouble(args.get(0));
    }

    private static List<String> ids(List<String> args) {
        return args.stream().filter(arg -> arg.startsWith("F")).toList();
    }

    /** Returns the version that {@code benchmarks/go-peers} wrote down. */
    private static String goVersion() {
        try {
            return Files.readString(Results.scratch("go-peers").resolve("ratelimit.version"))
                    .strip();
        } catch (IOException e) {
            return "not built";
        }
    }

    private static String springGateway() {
        return Checkout.root().orElse(Path.of("")).resolve("benchmarks/peer-spring-gateway/target/quick/dist/lib")
                + "/*";
    }
}
