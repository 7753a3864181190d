package io.sluice.center.series;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.center.database.Database;
import io.sluice.core.time.ManualClock;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Figures wait in files while the database does not take them. */
class DatabaseOutageSeriesTest {

    @TempDir
    Path data;

    @Test
    void nothingIsLostWhileTheDatabaseIsAwayForHours() throws Exception {
        ManualClock clock = SeriesBench.clock();
        Database away = Database.open("", data);
        SeriesBench bench = new SeriesBench(away, data.resolve("traffic"), clock);
        bench.second();
        bench.send("n1", bench.now(), "login", 1, 0);
        bench.seconds(70);
        assertThat(bench.series().problem()).isEmpty();
        away.close();
        for (int hour = 0; hour < 3; hour++) {
            bench.send("n1", bench.now(), "login", 10, 1);
            bench.seconds(70);
            clock.advance(Duration.ofHours(1));
        }
        assertThat(bench.series().problem().orElseThrow())
                .startsWith("figures of traffic cannot be written to the database: ")
                .contains("(expected: ");
        try (Database back = Database.open("", data)) {
            SeriesBench after = new SeriesBench(back, data.resolve("traffic"), clock);
            after.seconds(5);
            assertThat(after.series().problem()).isEmpty();
            assertThat(after.series()
                            .ofRule("login", SeriesStep.MINUTE, SeriesBench.START, after.now())
                            .values())
                    .extracting(SeriesSum::allowed)
                    .containsExactly(1L, 10L, 10L, 10L);
            assertThat(after.series()
                            .ofFleet(SeriesStep.DAY, SeriesBench.START, after.now())
                            .values())
                    .extracting(SeriesSum::refused)
                    .containsExactly(3L);
        }
    }
}
