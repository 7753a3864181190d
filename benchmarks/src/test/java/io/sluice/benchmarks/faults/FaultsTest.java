package io.sluice.benchmarks.faults;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;

/**
 * Runs every fault in its short form, which {@code -Dsluice.tests.scale=10} makes longer. Checks what must hold, but not the figures,
 * which need a quiet machine.
 */
final class FaultsTest {

    private static final double SHORT =
            Math.min(1, 0.01 * Double.parseDouble(System.getProperty("sluice.tests.scale", "1")));

    @TestFactory
    Stream<DynamicTest> guaranteesHoldUnderEveryFault() {
        return Faults.all().stream()
                .map(fault -> DynamicTest.dynamicTest(fault.id() + " " + fault.what(), () -> {
                    Trial trial = new Trial(SHORT);
                    fault.scenario().run(trial);
                    System.out.println(fault.id() + ": " + trial.measured());
                    assertThat(trial.broken()).isEmpty();
                }));
    }
}
