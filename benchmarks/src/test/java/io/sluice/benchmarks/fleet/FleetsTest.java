package io.sluice.benchmarks.fleet;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;

/** Real processes on a real Redis, each voyage for a moment: the checker finds nothing in what they wrote down. */
final class FleetsTest {

    @TestFactory
    Stream<DynamicTest> theCheckerFindsNothingWrong() {
        return Stream.of(
                        Fleets.voyage("token_bucket", true, false, 5, 2, Mishap.KILL),
                        Fleets.voyage("token_bucket", true, true, 1, 2, Mishap.NONE),
                        Fleets.voyage("leaky_bucket", true, false, 1, 2, Mishap.FLUSH),
                        Fleets.voyage("fixed_window", true, false, 5, 4, Mishap.STOP),
                        Fleets.voyage("sliding_window", true, false, 0.5, 2, Mishap.RESTART),
                        Fleets.voyage("sliding_window", false, false, 5, 2, Mishap.NONE),
                        Fleets.voyage("sliding_log", false, false, 5, 2, Mishap.NONE),
                        Fleets.voyage("concurrency", false, false, 5, 2, Mishap.NONE))
                .map(voyage -> DynamicTest.dynamicTest(voyage.words(), () -> {
                    Logbook log = voyage.sail(true);
                    System.out.print(log.row());
                    assertThat(log.report()).isNotNull();
                    assertThat(log.report().violations())
                            .as("in %s", log.histories())
                            .isEmpty();
                    assertThat(log.totals().allowed()).isPositive();
                }));
    }
}
