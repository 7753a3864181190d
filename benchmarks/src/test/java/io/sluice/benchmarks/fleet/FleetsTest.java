package io.sluice.benchmarks.fleet;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.TestFactory;

/** Short runs of real processes on a real Redis. The checker must find no violation in their histories. The long form has more runs. */
final class FleetsTest {

    @TestFactory
    Stream<DynamicTest> checkerFindsNoViolation() {
        return checked(
                Fleets.newRun("token_bucket", true, true, 1, 2, FleetFault.NONE),
                Fleets.newRun("sliding_window", true, false, 0.5, 2, FleetFault.RESTART),
                Fleets.newRun("concurrency", false, false, 5, 2, FleetFault.NONE));
    }

    @TestFactory
    @Tag("long")
    Stream<DynamicTest> checkerFindsNoViolationInOtherRuns() {
        return checked(
                Fleets.newRun("token_bucket", true, false, 5, 2, FleetFault.KILL),
                Fleets.newRun("leaky_bucket", true, false, 1, 2, FleetFault.FLUSH),
                Fleets.newRun("fixed_window", true, false, 5, 4, FleetFault.STOP),
                Fleets.newRun("sliding_window", false, false, 5, 2, FleetFault.NONE),
                Fleets.newRun("sliding_log", false, false, 5, 2, FleetFault.NONE));
    }

    private static Stream<DynamicTest> checked(FleetRun... runs) {
        return Stream.of(runs)
                .map(run -> DynamicTest.dynamicTest(run.words(), () -> {
                    FleetReport result = run.execute(true);
                    System.out.print(result.row());
                    assertThat(result.report()).isNotNull();
                    assertThat(result.report().violations())
                            .as("in %s", result.histories())
                            .isEmpty();
                    assertThat(result.totals().allowed()).isPositive();
                }));
    }
}
