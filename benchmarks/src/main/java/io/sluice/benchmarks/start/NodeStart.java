package io.sluice.benchmarks.start;

import io.sluice.benchmarks.doors.DoorLoad;
import io.sluice.benchmarks.goals.Figures;
import io.sluice.benchmarks.processes.NodeProcess;
import io.sluice.benchmarks.processes.ProcessUse;
import io.sluice.testkit.redis.RedisServer;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;

/**
 * Measures the time from the command until a node serves, the memory of the idle node, and what a cold node decides under full load
 * in its first half minute.
 */
public final class NodeStart {

    private static final int IDLE_SECONDS = 3;
    private static final int COLD_TURNS = 3;

    private NodeStart() {}

    /** @param name names the row and its figures */
    private record Kind(String name, String what, List<String> args) {}

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
            List<Kind> kinds = List.of(
                    new Kind("start", "./sluice start", List.of("start")),
                    new Kind("node", "./sluice node", List.of("node", "--rules", rules)),
                    new Kind(
                            "node on Redis",
                            "./sluice node on Redis",
                            List.of("node", "--rules", rules, "--redis", redis.uri())),
                    new Kind("100,000 rules", "./sluice node with 100,000 rules", List.of("node", "--rules", many)));
            return starts(kinds, starts, figures) + cold(kinds.get(2).args, coldSeconds, figures);
        }
    }

    private static String starts(List<Kind> kinds, int starts, Figures figures)
            throws IOException, InterruptedException {
        // The first start archives classes for those that follow.
        NodeProcess.start(kinds.get(0).args).close();
        StringBuilder table = new StringBuilder(String.format(
                Locale.ROOT,
                "Until /health says 200, median of %d starts; memory %d s later.%n%n| %-34s | %8s | %9s |%n",
                starts,
                IDLE_SECONDS,
                "command",
                "serves",
                "memory"));
        table.append("|------------------------------------|----------|-----------|\n");
        for (Kind kind : kinds) {
            List<Double> seconds = new ArrayList<>();
            List<Long> megabytes = new ArrayList<>();
            for (int i = 0; i < starts; i++) {
                try (NodeProcess node = NodeProcess.start(kind.args)) {
                    TimeUnit.SECONDS.sleep(IDLE_SECONDS);
                    seconds.add(node.startSeconds());
                    megabytes.add(ProcessUse.residentMegabytes(node.pid()));
                }
            }
            double second = median(seconds);
            long megabyte = median(megabytes);
            figures.add(kind.name + "/s", second);
            figures.add(kind.name + "/MB", (double) megabyte);
            table.append(String.format(Locale.ROOT, "| %-34s | %6.2f s | %6d MB |%n", kind.what, second, megabyte));
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
