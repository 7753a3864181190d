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
 * A fleet at work for some seconds, and something that happens to it.
 *
 * @param load of each node
 * @param times what all of them ask for, in limits
 */
record Voyage(int nodes, Load load, double times, Mishap mishap) {

    /** Sends a fleet, with histories in a folder of its own, and judges them. */
    static Voyage of(
            String algorithm,
            long perSecond,
            boolean leased,
            boolean mixed,
            int nodes,
            double times,
            double seconds,
            Mishap mishap) {
        Load load = new Load(algorithm, perSecond, leased, mixed, perSecond * times / nodes, seconds, 0, Load.BRIEF);
        return new Voyage(nodes, load, times, mishap);
    }

    /** The same, with requests that wait until Redis answers. */
    Voyage patient() {
        return new Voyage(nodes, load.patient(), times, mishap);
    }

    Logbook sail(boolean recorded) throws IOException {
        try (RedisServer redis = RedisServer.start()) {
            return sail(redis, List.of(System.getProperty("java.class.path")), recorded);
        }
    }

    /**
     * Sails on a Redis that is there.
     *
     * @param classPaths of the first node, the second and so on, and then again from the first
     */
    Logbook sail(RedisServer redis, List<String> classPaths, boolean recorded) throws IOException {
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
            mishap.strike(fleet, redis, load.seconds());
            Tally.Totals totals = Tally.Totals.NONE;
            for (Node node : fleet) {
                totals = totals.and(node.totals());
            }
            History history = recorded ? History.read(histories) : null;
            CheckReport report = history == null ? null : HistoryChecker.check(history);
            if (report == null || report.isClean()) {
                deleteAll(histories, folder);
            }
            return new Logbook(this, totals, history, report, folder);
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
                "%s%s, %s, %d nodes at %.1f x, %s",
                load.algorithm(),
                load.mixed() ? " and one more limit" : "",
                load.leased() ? "leased" : "distributed",
                nodes,
                times,
                mishap.words);
    }
}
