package io.sluice.benchmarks.keep;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.assertj.core.data.Percentage;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Runs on a manual clock, so the results do not depend on the machine. */
final class KeepRunTest {

    private static final int SECONDS = 6;
    private static final Overload HIGH = new Overload(10_000, SECONDS, List.of(0.8));
    private static final Overload LOW = new Overload(10_000, SECONDS, List.of(0.2));

    @Test
    void topClassLosesNothingAtFiveTimesTheLimit() {
        Shares shares = KeepRun.with().onManualClock(HIGH);

        assertThat(shares.offeredSince(Plan.TOP, 0)).isCloseTo(8_000L * SECONDS, Percentage.withPercentage(1));
        assertThat(KeepRun.lost(shares, 0)).isZero();
        assertThat(shares.admittedSince(Plan.BATCH, 1)).isZero();
        assertThat(total(shares, 4)).isCloseTo(10_000L * (SECONDS - 4), Percentage.withPercentage(1));
    }

    @Test
    void withoutKeepTheTopClassLosesFourOfFive() {
        Shares shares = KeepRun.without().onManualClock(HIGH);

        assertThat(KeepRun.lost(shares, 1))
                .isCloseTo(shares.offeredSince(Plan.TOP, 1) * 4 / 5, Percentage.withPercentage(2));
    }

    @Test
    void batchGetsAllThatTheOthersLeave() {
        Shares shares = KeepRun.with().onManualClock(LOW);

        assertThat(KeepRun.lost(shares, 0)).isZero();
        assertThat(shares.admittedSince(Plan.FREE, 0)).isEqualTo(shares.offeredSince(Plan.FREE, 0));
        assertThat(total(shares, 1)).isCloseTo(10_000L * (SECONDS - 1), Percentage.withPercentage(1));
        assertThat(shares.admittedSince(Plan.BATCH, 1)).isCloseTo(5_000L * (SECONDS - 1), Percentage.withPercentage(2));
    }

    @Test
    void aWindowMustKeepWhatTheTopClassNeeds() {
        String window = "algorithm: fixed_window, limit: 10000, window: 1s";

        assertThat(KeepRun.lost(SharedLimit.of(window, "20%", "50%").onManualClock(HIGH), 0))
                .isPositive();
        assertThat(KeepRun.lost(SharedLimit.of(window, "85%", "95%").onManualClock(HIGH), 0))
                .isZero();
    }

    @Test
    @Tag("long")
    void pictureOfTheDocumentationShowsThisRun() throws IOException {
        assertThat(KeepRun.picture()).isEqualTo(Files.readString(Path.of("..", KeepRun.PICTURE)));
    }

    private static long total(Shares shares, int from) {
        long sum = 0;
        for (Plan plan : Plan.values()) {
            sum += shares.admittedSince(plan, from);
        }
        return sum;
    }
}
