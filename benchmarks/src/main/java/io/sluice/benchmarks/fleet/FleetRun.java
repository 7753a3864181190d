package io.sluice.benchmarks.fleet;

import io.sluice.history.CheckReport;
import io.sluice.history.History;
import io.sluice.history.HistoryChecker;
import io.sluice.testkit.redis.RedisServer;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * A fleet that runs for some seconds, and the fault that happens to it.
 *
 * @param load the load of each node
 * @param times the load of all nodes together, as a multiple of the limit
 */
record FleetRun(int nodes, Load load, double times, FleetFault fault) {

    /** Creates a run whose requests wait briefly for Redis. */
    static FleetRun of(
            String algorithm,
            long perSecond,
            boolean leased,
            boolean mixed,
            int nodes,
            double times,
            double seconds,
            FleetFault fault) {
        Load load = new Load(algorithm, perSecond, leased, mixed, perSecond * times / nodes, seconds, 0, Load.BRIEF);
        return new FleetRun(nodes, load, times, fault);
    }

    /** Returns the same run with requests that wait until Redis answers. */
    FleetRun patient() {
        return new FleetRun(nodes, load.patient(), times, fault);
    }

    /** Executes the run on a Redis of its own. */
    FleetReport execute(boolean recorded) throws IOException {
        try (RedisServer redis = RedisServer.start()) {
            return execute(redis, List.of(System.getProperty("java.class.path")), recorded);
        }
    }

    /**
     * Executes the run on the given Redis.
     *
     * @param classPaths the class paths that the nodes use in turn
     * @param recorded whether the nodes record histories, which are then checked
     */
    FleetReport execute(RedisServer redis, List<String> classPaths, boolean recorded) throws IOException {
        Path folder = Files.createTempDirectory("sluice-fleet");
        List<Node> fleet = new ArrayList<>();
        List<Path> histories = new ArrayList<>();
        try {
            for (int i = 0; i < nodes; i++) {
                Path history = folder.resolve("n" + i + ".history");
                histories.add(history);
                String classPath = classPaths.get(i % classPaths.size());
                fleet.add(Node.start(classPath, redis.uri(), "n" + i, recorded ? history : null, load));
            }
            for (Node node : fleet) {
                node.awaitReady();
            }
            for (Node node : fleet) {
                node.go();
            }
            fault.inject(fleet, redis, load.seconds());
            Tally.Totals totals = Tally.Totals.NONE;
            for (Node node : fleet) {
                totals = totals.and(node.totals());
            }
            History history = recorded ? History.read(histories) : null;
            CheckReport report = history == null ? null : HistoryChecker.check(history);
            if (report == null || report.isClean()) {
                deleteAll(histories, folder);
            }
            return new FleetReport(this, totals, history, report, folder);
        } finally {
            fleet.forEach(Node::close);
        }
    }

    static void deleteAll(List<Path> histories, Path folder) throws IOException {
        for (Path history : histories) {
            Files.deleteIfExists(history);
        }
        Files.delete(folder);
    }

    String words() {
        return String.format(
                Locale.ROOT,
                "%s%s, %s, %d nodes at %.1f x, fault: %s",
                load.algorithm(),
                load.mixed() ? " and one more limit" : "",
                load.leased() ? "leased" : "distributed",
                nodes,
                times,
                fault.words);
    }
}
