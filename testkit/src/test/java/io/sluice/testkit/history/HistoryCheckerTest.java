package io.sluice.testkit.history;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class HistoryCheckerTest {

    private static final int CLEAN_RUNS = 1_000;

    @ParameterizedTest
    @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "NONE")
    void findsEveryPlantedBug(Bug bug) {
        for (long seed = 1; seed <= 5; seed++) {
            Report report = HistoryChecker.check(Simulation.run(seed, bug, 3_000));
            assertThat(report.violations())
                    .as("%s with seed %d: %s", bug, seed, report)
                    .extracting(Violation::kind)
                    .contains(bug.breaks);
        }
    }

    @Test
    void raisesNoFalseAlarm() {
        long first = Long.getLong("sluice.tests.seed", new Random().nextLong(1L << 40));
        System.out.println("raisesNoFalseAlarm: seed " + first);
        long missing = 0;
        for (long seed = first; seed < first + CLEAN_RUNS; seed++) {
            Report report = HistoryChecker.check(Simulation.run(seed, Bug.NONE, 600));
            assertThat(report.isClean()).as("seed %d: %s", seed, report).isTrue();
            missing += report.missing();
        }
        assertThat(missing).as("steps that nobody heard of").isPositive();
    }

    @Test
    void raisesNoFalseAlarmWhenAReplicaTakesOver() {
        long first = Long.getLong("sluice.tests.seed", new Random().nextLong(1L << 40));
        System.out.println("raisesNoFalseAlarmWhenAReplicaTakesOver: seed " + first);
        long unchecked = 0;
        for (long seed = first; seed < first + CLEAN_RUNS; seed++) {
            Report report = HistoryChecker.check(Simulation.runReplicated(seed, 600));
            assertThat(report.isClean()).as("seed %d: %s", seed, report).isTrue();
            unchecked += report.unchecked();
        }
        assertThat(unchecked).as("steps in no order that is known").isPositive();
    }

    @Test
    void checksAMillionEventsInSomeSeconds() {
        History history = Simulation.run(7, Bug.NONE, 700_000);
        long events =
                history.nodes().stream().mapToLong(node -> node.events().size()).sum();
        Report report = HistoryChecker.check(history);
        assertThat(events).isGreaterThan(1_000_000);
        assertThat(report.isClean()).as("%s", report).isTrue();
    }
}
