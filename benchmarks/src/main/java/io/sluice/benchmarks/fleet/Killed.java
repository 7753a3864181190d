package io.sluice.benchmarks.fleet;

import io.sluice.history.CheckReport;
import io.sluice.history.History;
import io.sluice.history.HistoryChecker;
import io.sluice.testkit.redis.RedisServer;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

/**
 * The result of killing a node that had permits. The permits were not returned, and another node took its place.
 *
 * @param lost the permits that the first node had when it was killed
 * @param missed the permits that were missing for the second node at first
 * @param backMillis how long after the kill all permits were available to the second node
 * @param report the checker's report on both nodes
 * @param histories the folder of the histories, which is kept only if they have violations
 */
public record Killed(long lost, long missed, double backMillis, CheckReport report, Path histories) {

    /** How long a node keeps permits that it leased or holds. */
    public static final Duration TTL = Duration.ofSeconds(1);

    private static final long PER_SECOND = 2_000;
    private static final double SECONDS_BEFORE = 1;
    private static final double SECONDS_AFTER = 3;

    /** Kills a node with leases. It asks for half of the limit, so that only its share bounds what it may lease. */
    public static Killed leasing() throws IOException {
        long share = Load.USUAL.most(load("token_bucket", 0, 1).limit());
        return killed("token_bucket", share, (dead, next, killedMicros) -> {
            long lost = LeasedOut.at(dead, killedMicros);
            return LeasedOut.backTo(next, lost, killedMicros);
        });
    }

    /** Kills a node that holds permits of a concurrency limit. */
    public static Killed holding() throws IOException {
        return killed("concurrency", 0, HeldPermits::backTo);
    }

    /** Computes from the two histories when all permits were back. */
    @FunctionalInterface
    interface Reading {
        Back read(History.Node dead, History.Node next, long killedMicros);
    }

    /** How many permits were lost and missing, and when all of them were back. */
    record Back(long lost, long missed, double millis) {}

    private static Load load(String algorithm, long size, double seconds) {
        return new Load(algorithm, PER_SECOND, size > 0, false, PER_SECOND / 2.0, seconds, size, Load.ENDLESS);
    }

    private static Killed killed(String algorithm, long leaseSize, Reading reading) throws IOException {
        Path folder = Files.createTempDirectory("sluice-killed");
        List<Path> files = List.of(folder.resolve("first.history"), folder.resolve("second.history"));
        // Longer than the first node is allowed to run.
        Load endless = load(algorithm, leaseSize, 60);
        Load after = load(algorithm, leaseSize, SECONDS_AFTER);
        try (RedisServer redis = RedisServer.start();
                Node first = Node.start(redis.uri(), "first", files.get(0), endless);
                Node second = Node.start(redis.uri(), "second", files.get(1), after)) {
            first.awaitReady();
            second.awaitReady();
            first.go();
            FleetFault.pause(SECONDS_BEFORE);
            long killedMicros = System.currentTimeMillis() * 1_000;
            first.signal("KILL");
            second.go();
            second.totals();
            History history = History.read(files);
            CheckReport report = HistoryChecker.check(history);
            Back back = reading.read(history.nodes().get(0), history.nodes().get(1), killedMicros);
            if (report.isClean()) {
                FleetRun.deleteAll(files, folder);
            }
            return new Killed(back.lost(), back.missed(), back.millis(), report, folder);
        }
    }
}
