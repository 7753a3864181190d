package io.sluice.benchmarks.start;

import io.sluice.benchmarks.doors.DoorLoad;
import io.sluice.benchmarks.goals.Figures;
import io.sluice.benchmarks.processes.CenterProcess;
import io.sluice.benchmarks.processes.NodeProcess;
import io.sluice.benchmarks.processes.ProcessUse;
import io.sluice.testkit.redis.RedisServer;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;

/**
 * Measures the time and CPU time from the command until each role serves, the memory of the idle process, and what a cold node decides
 * under full load in its first half minute.
 */
public final class NodeStart {

    private static final int IDLE_SECONDS = 3;
    private static final int COLD_TURNS = 3;

    private NodeStart() {}

    /** @param name names the row and its figures */
    private record Kind(String name, String what, Role role) {}

    /** A command that starts one process. */
    private interface Role {

        Start start() throws IOException, InterruptedException;
    }

    private record Start(double seconds, double cpuSeconds, long megabytes) {

        static Start node(List<String> args) throws IOException, InterruptedException {
            try (NodeProcess node = NodeProcess.start(args)) {
                return of(node.pid(), node.startSeconds());
            }
        }

        static Start center() throws IOException, InterruptedException {
            try (CenterProcess center = CenterProcess.start()) {
                return of(center.pid(), center.startSeconds());
            }
        }

        private static Start of(long pid, double seconds) throws IOException, InterruptedException {
            double cpu = ProcessUse.cpuSeconds(pid);
            TimeUnit.SECONDS.sleep(IDLE_SECONDS);
            return new Start(seconds, cpu, ProcessUse.residentMegabytes(pid));
        }
    }

    /**
     * Measures and returns a table.
     *
     * @param starts how often each kind of node is started; the median counts
     * @param largeRules a document with very many rules
     * @param coldSeconds how long each turn of the cold node takes; ten seconds for figures that can be compared
     */
    public static String table(int starts, String largeRules, int coldSeconds, Figures figures)
            throws IOException, InterruptedException {
        Path folder = Files.createTempDirectory("sluice-start");
        String rules =
                Files.writeString(folder.resolve("rules.yaml"), DoorLoad.RULES).toString();
        String many = Files.writeString(folder.resolve("many.yaml"), largeRules).toString();
        try (RedisServer redis = RedisServer.start()) {
            List<String> onRedis = List.of("node", "--rules", rules, "--redis", redis.uri());
            List<Kind> kinds = List.of(
                    new Kind("start", "./sluice start", () -> Start.node(List.of("start"))),
                    new Kind("node", "./sluice node", () -> Start.node(List.of("node", "--rules", rules))),
                    new Kind("center", "./sluice center", Start::center),
                    new Kind("node on Redis", "./sluice node on Redis", () -> Start.node(onRedis)),
                    new Kind(
                            "100,000 rules",
                            "./sluice node with 100,000 rules",
                            () -> Start.node(List.of("node", "--rules", many))));
            return starts(kinds, starts, figures) + cold(onRedis, coldSeconds, figures);
        }
    }

    private static String starts(List<Kind> kinds, int starts, Figures figures)
            throws IOException, InterruptedException {
        StringBuilder table = new StringBuilder(String.format(
                Locale.ROOT,
                "Until /health says 200, median and slowest of %d starts; memory %d s later.%n%n"
                        + "| %-34s | %8s | %8s | %8s | %9s |%n",
                starts,
                IDLE_SECONDS,
                "command",
                "serves",
                "slowest",
                "CPU time",
                "memory"));
        table.append("|------------------------------------|----------|----------|----------|-----------|\n");
        for (Kind kind : kinds) {
            // The first start of a role archives its classes for those that follow.
            kind.role.start();
            NodeProcess.awaitArchives();
            List<Start> measured = new ArrayList<>();
            for (int i = 0; i < starts; i++) {
                measured.add(kind.role.start());
            }
            List<Double> seconds = measured.stream().map(Start::seconds).toList();
            double second = median(seconds);
            double cpu = median(measured.stream().map(Start::cpuSeconds).toList());
            long megabytes = median(measured.stream().map(Start::megabytes).toList());
            figures.add(kind.name + "/s", second);
            figures.add(kind.name + "/CPU s", cpu);
            figures.add(kind.name + "/MB", (double) megabytes);
            table.append(String.format(
                    Locale.ROOT,
                    "| %-34s | %6.2f s | %6.2f s | %6.2f s | %6d MB |%n",
                    kind.what,
                    second,
                    Collections.max(seconds),
                    cpu,
                    megabytes));
        }
        return table.toString();
    }

    private static <T extends Comparable<T>> T median(List<T> values) {
        return values.stream().sorted().toList().get(values.size() / 2);
    }

    private static String cold(List<String> args, int seconds, Figures figures)
            throws IOException, InterruptedException {
        Path message = Files.write(Files.createTempFile("sluice-cold", ".bin"), DoorLoad.message(17));
        message.toFile().deleteOnExit();
        StringBuilder table = new StringBuilder(String.format(
                "%nA node on Redis from the moment it serves, rate limit service, %d calls in flight:%n%n"
                        + "| %-20s | %11s |%n|----------------------|-------------|%n",
                DoorLoad.IN_FLIGHT, "after the start", "decisions/s"));
        try (NodeProcess node = NodeProcess.start(args)) {
            for (int turn = 1; turn <= COLD_TURNS; turn++) {
                double perSecond = DoorLoad.overGrpc("a cold node", node.grpcPort(), message, seconds);
                figures.add("cold/" + turn + "/per s", perSecond);
                table.append(String.format(
                        Locale.ROOT,
                        "| %-20s | %11.0f |%n",
                        (turn - 1) * seconds + " to " + turn * seconds + " s",
                        perSecond));
            }
            long openings = node.logged("is unavailable (");
            figures.add("cold/openings", (double) openings);
            table.append(String.format(
                    "%nMeanwhile the node stopped asking the healthy Redis %d times (its breaker opened).%n",
                    openings));
        }
        return table.toString();
    }
}
