package io.sluice.center.series;

import io.sluice.center.data.DataIntake;
import io.sluice.center.database.Database;
import io.sluice.core.time.ManualClock;
import io.sluice.runtime.data.DataBatch;
import io.sluice.runtime.data.DataBatch.Kind;
import io.sluice.runtime.data.DataReport;
import io.sluice.runtime.data.Figures;
import io.sluice.runtime.data.Latencies;
import io.sluice.runtime.data.SecondCounts;
import io.sluice.runtime.fleet.NodeHealth;
import io.sluice.runtime.fleet.NodeIdentity;
import io.sluice.runtime.fleet.NodeReport;
import io.sluice.runtime.fleet.RulesInForce;
import io.sluice.testkit.QuietClock;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;

/** The part of a center that keeps series, with nodes that send what a test wants. */
final class SeriesBench {

    /** The beginning of an hour, and of a day. */
    static final long START = 1_800_057_600L;

    final ManualClock clock;
    final FleetModel model = new FleetModel();
    private final Database database;
    private final Path folder;
    private final Map<String, Long> numbers = new HashMap<>();
    private Series series;
    private DataIntake intake;

    SeriesBench(Database database, Path folder, ManualClock clock) throws IOException {
        this.database = database;
        this.folder = folder;
        this.clock = clock;
        open();
    }

    static ManualClock clock() {
        return QuietClock.at(START * 1_000_000);
    }

    void open() throws IOException {
        series = Series.open(clock, database, segments(), Runnable::run);
        intake = DataIntake.open(clock, List.of(series), folder.resolve("journal"));
    }

    Path segments() {
        return folder.resolve("series");
    }

    /** Stops in good order and starts again. */
    void restart() throws IOException {
        intake.close();
        open();
    }

    /** Starts again without any end, as after kill -9. */
    void crash() throws IOException {
        open();
    }

    void close() throws IOException {
        intake.close();
    }

    Series series() {
        return series;
    }

    DataIntake intake() {
        return intake;
    }

    long now() {
        return clock.epochMicros() / 1_000_000;
    }

    /** Moves on by one second. */
    void second() {
        clock.advance(Duration.ofSeconds(1));
        intake.turn();
    }

    void seconds(int count) {
        for (int i = 0; i < count; i++) {
            second();
        }
    }

    /** A node sends counts of a second. */
    void send(String node, long second, Map<String, Figures> rules, Latencies took) {
        SecondCounts counts = new SecondCounts(second, rules, took);
        model.sent(node, second, counts);
        var unused = intake.take(report(node, next(node), counts, clock.epochMicros() / 1_000));
    }

    void send(String node, long second, String rule, long allowed, long refused) {
        send(node, second, Map.of(rule, new Figures(allowed, refused, 0, 0)), Latencies.NONE);
    }

    long next(String node) {
        return numbers.merge(node, 1L, Long::sum);
    }

    static NodeReport report(String node, long number, SecondCounts counts, long sentMillis) {
        NodeReport report = new NodeReport(
                new NodeIdentity(node, NodeReport.Kind.NODE, node + ":8080", "test", 1),
                number,
                RulesInForce.of(0, "", 0),
                NodeHealth.of(NodeReport.Mode.REMOTE, NodeReport.Breaker.CLOSED));
        return report.with(
                new DataReport(sentMillis, List.of(new DataBatch(number, Kind.COUNTS, counts.toBytes())), Map.of()));
    }

    /** Returns figures of some of these rules, and latencies of as many decisions. */
    static Map<String, Figures> traffic(Random random, int rules, int active) {
        Map<String, Figures> figures = new HashMap<>();
        for (int i = 0; i < active; i++) {
            int rule = random.nextInt(rules + 1);
            figures.put(
                    rule == rules ? "" : "rule-" + rule,
                    new Figures(random.nextInt(1_000), random.nextInt(50), random.nextInt(3), random.nextInt(2)));
        }
        return figures;
    }

    static Latencies latencies(Random random, int decisions) {
        long[] counts = new long[Latencies.SPANS];
        for (int i = 0; i < decisions; i++) {
            counts[Latencies.span((long) (Math.exp(random.nextGaussian() + 4) * 1_000))]++;
        }
        return Latencies.of(counts);
    }
}
