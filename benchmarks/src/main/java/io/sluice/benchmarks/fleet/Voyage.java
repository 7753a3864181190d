package io.sluice.benchmarks.fleet;

import io.sluice.testkit.RedisServer;
import io.sluice.testkit.history.HistoryChecker;
import io.sluice.testkit.history.Report;
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
        Load load = new Load(algorithm, perSecond, leased, mixed, perSecond * times / nodes, seconds, 0);
        return new Voyage(nodes, load, times, mishap);
    }

    Logbook sail(boolean recorded) throws IOException {
        Path folder = Files.createTempDirectory("sluice-fleet");
        List<Node> fleet = new ArrayList<>();
        List<Path> histories = new ArrayList<>();
        try (RedisServer redis = RedisServer.start()) {
            for (int i = 0; i < nodes; i++) {
                Path history = folder.resolve("n" + i + ".history");
                histories.add(history);
                fleet.add(Node.start(redis.uri(), "n" + i, recorded ? history : null, load));
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
            Report report = recorded ? HistoryChecker.check(histories) : null;
            if (report == null || report.isClean()) {
                for (Path history : histories) {
                    Files.deleteIfExists(history);
                }
                Files.delete(folder);
            }
            return new Logbook(this, totals, report, folder);
        } finally {
            fleet.forEach(Node::close);
        }
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
