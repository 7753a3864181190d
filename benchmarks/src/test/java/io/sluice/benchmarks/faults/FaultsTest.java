package io.sluice.benchmarks.faults;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.TestFactory;

/**
 * Runs faults in their short form, which {@code -Dsluice.tests.scale=10} makes longer. Checks what must hold, but not the figures, which
 * need a quiet machine.
 */
final class FaultsTest {

    private static final double SHORT =
            Math.min(1, 0.01 * Double.parseDouble(System.getProperty("sluice.tests.scale", "1")));

    /** Faults that need many servers or processes even in their short form. */
    private static final Set<String> LARGE = Set.of("F3", "F4", "F6", "F9", "F14", "F16", "F18", "F24", "F25");

    @TestFactory
    Stream<DynamicTest> guaranteesHoldUnderFaults() {
        return Faults.all().stream()
                .filter(fault -> !LARGE.contains(fault.id()))
                .map(FaultsTest::test);
    }

    @TestFactory
    @Tag("long")
    Stream<DynamicTest> guaranteesHoldUnderLargeFaults() {
        return Faults.all().stream().filter(fault -> LARGE.contains(fault.id())).map(FaultsTest::test);
    }

    private static DynamicTest test(Fault fault) {
        return DynamicTest.dynamicTest(fault.id() + " " + fault.what(), () -> {
            Trial trial = new Trial(SHORT);
            fault.scenario().run(trial);
            System.out.println(fault.id() + ": " + trial.measured());
            assertThat(trial.broken()).isEmpty();
        });
    }
}
