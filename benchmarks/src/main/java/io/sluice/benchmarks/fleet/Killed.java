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
 * A node was killed with permits that nobody gave back, and another one went on in its place.
 *
 * @param lost permits that the first had when it died
 * @param missed how many the second found missing at first
 * @param backMillis after how long it could have all of them
 * @param report the checker's word on both
 * @param histories where they are, if there is something wrong with them
 */
public record Killed(long lost, long missed, double backMillis, CheckReport report, Path histories) {

    /** For how long permits are kept for who took them: on a lease, or held. */
    public static final Duration TTL = Duration.ofSeconds(1);

    private static final long PER_SECOND = 2_000;
    private static final double SECONDS_BEFORE = 1;
    private static final double SECONDS_AFTER = 3;

    /** A node with leases. At half of the limit, so that what it may lease depends on its share alone. */
    public static Killed leasing() throws IOException {
        long share = Load.USUAL.most(load("token_bucket", 0, 1).limit());
        return killed("token_bucket", share, (dead, next, killedMicros) -> {
            long lost = LeasedOut.at(dead, killedMicros);
            return LeasedOut.backTo(next, lost, killedMicros);
        });
    }

    /** A node that holds permits of a concurrency limit. */
    public static Killed holding() throws IOException {
        return killed("concurrency", 0, HeldPermits::backTo);
    }

    /** What the two histories say. */
    @FunctionalInterface
    interface Reading {
        Back read(History.Node dead, History.Node next, long killedMicros);
    }

    /** When everything was back. */
    record Back(long lost, long missed, double millis) {}

    private static Load load(String algorithm, long size, double seconds) {
        return new Load(algorithm, PER_SECOND, size > 0, false, PER_SECOND / 2.0, seconds, size, Load.ENDLESS);
    }

    private static Killed killed(String algorithm, long leaseSize, Reading reading) throws IOException {
        Path folder = Files.createTempDirectory("sluice-killed");
        List<Path> files = List.of(folder.resolve("first.history"), folder.resolve("second.history"));
        // The first would go on for longer than it is let.
        Load endless = load(algorithm, leaseSize, 60);
        Load after = load(algorithm, leaseSize, SECONDS_AFTER);
        try (RedisServer redis = RedisServer.start();
                Node first = Node.start(redis.uri(), "first", files.get(0), endless);
                Node second = Node.start(redis.uri(), "second", files.get(1), after)) {
            first.awaitReady();
            second.awaitReady();
            first.go();
            Mishap.pause(SECONDS_BEFORE);
            long killedMicros = System.currentTimeMillis() * 1_000;
            first.signal("KILL");
            second.go();
            second.totals();
            History history = History.read(files);
            CheckReport report = HistoryChecker.check(history);
            Back back = reading.read(history.nodes().get(0), history.nodes().get(1), killedMicros);
            if (report.isClean()) {
                Voyage.deleteAll(files, folder);
            }
            return new Killed(back.lost(), back.missed(), back.millis(), report, folder);
        }
    }
}
