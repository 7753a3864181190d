package io.sluice.center.series;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.center.database.Database;
import io.sluice.core.time.ManualClock;
import io.sluice.runtime.data.Figures;
import io.sluice.runtime.data.Latencies;
import io.sluice.testkit.database.MariaDbServer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Two centers on one database, each with nodes of its own. */
class SharedDatabaseSeriesTest {

    private static final long START = SeriesBench.START;

    @TempDir
    Path data;

    @Test
    void sumsOverBothCentersAreExact() throws Exception {
        ManualClock clock = SeriesBench.clock();
        String url = MariaDbServer.shared().database();
        Random random = new Random(3);
        long allowed = 0;
        long refused = 0;
        try (Database one = Database.open(url, data.resolve("one"));
                Database other = Database.open(url, data.resolve("other"))) {
            SeriesBench first = new SeriesBench(one, data.resolve("one/traffic"), clock);
            SeriesBench second = new SeriesBench(other, data.resolve("other/traffic"), clock);
            for (int i = 0; i < 3_900; i++) {
                first.second();
                second.intake().turn();
                for (SeriesBench bench : List.of(first, second)) {
                    if (random.nextInt(3) == 0) {
                        int passed = random.nextInt(100);
                        int not = random.nextInt(100);
                        allowed += passed;
                        refused += not;
                        bench.send(
                                bench == first ? "n1" : "n2",
                                bench.now() - 1,
                                Map.of("login", new Figures(passed, not, 0, 0)),
                                SeriesBench.latencies(random, passed + not));
                    }
                }
            }
            // Each center reads the newest minutes of the other from the database, where they are after a minute.
            first.seconds(70);
            second.intake().turn();
            for (SeriesBench bench : List.of(first, second)) {
                for (SeriesStep step : List.of(SeriesStep.MINUTE, SeriesStep.HOUR, SeriesStep.DAY)) {
                    SeriesSum sum = bench.series().ofFleet(step, START, bench.now()).values().stream()
                            .reduce(SeriesSum.NONE, SeriesSum::then);
                    assertThat(sum.allowed()).as(step.word()).isEqualTo(allowed);
                    assertThat(sum.refused()).as(step.word()).isEqualTo(refused);
                    assertThat(sum.latencies().count()).as(step.word()).isEqualTo(allowed + refused);
                    assertThat(bench.series()
                                    .sumsByRule(step, START, bench.now())
                                    .get("login")
                                    .sum()
                                    .refused())
                            .isEqualTo(refused);
                }
                assertThat(bench.series().isComplete(SeriesStep.MINUTE, START, bench.now()))
                        .isTrue();
                // Seconds of the other center are not known here.
                assertThat(bench.series().isComplete(SeriesStep.SECOND, bench.now() - 60, bench.now()))
                        .isFalse();
            }
        }
    }

    @Test
    void theLastHourOfACenterThatIsGoneIsRolledUpByAnother() throws Exception {
        ManualClock clock = SeriesBench.clock();
        String url = MariaDbServer.shared().database();
        try (Database database = Database.open(url, data)) {
            SeriesBench gone = new SeriesBench(database, data.resolve("gone"), clock);
            gone.second();
            gone.send("n1", gone.now(), "login", 7, 2);
            gone.close();
            SeriesBench left = new SeriesBench(database, data.resolve("left"), clock);
            for (int hour = 0; hour < 7; hour++) {
                assertThat(left.series().ofRule("login", SeriesStep.HOUR, START, left.now() + 1))
                        .isEqualTo(Map.of(START, new SeriesSum(7, 2, 0, 0, 7, 2, Latencies.NONE)));
                clock.advance(Duration.ofHours(1));
                left.intake().turn();
            }
            long waiting = database.read(client -> client.sql("SELECT COUNT(*) FROM series_block WHERE rolled = 0")
                    .query(Long.class)
                    .single());
            assertThat(waiting).isZero();
        }
    }
}
