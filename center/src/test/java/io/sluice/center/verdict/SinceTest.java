package io.sluice.center.verdict;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.runtime.fleet.Tally;
import java.util.List;
import org.junit.jupiter.api.Test;

class SinceTest {

    @Test
    void countsFromTheFirstReportOfEachNode() {
        Since since = Since.BEGINNING
                .plus(report("a", "1", 100, 900))
                .plus(report("a", "1", 150, 1_400))
                // It joins later.
                .plus(report("b", "1", 7, 70))
                .plus(report("b", "1", 17, 170))
                .plus(report("c", "1", 1_000, 1_000));

        assertThat(requests(since.ofCallers())).containsExactly(60, 600);
    }

    @Test
    void leavesOutWhatHappenedAroundARestart() {
        Since since = Since.BEGINNING
                .plus(report("a", "1", 100, 900))
                .plus(report("a", "1", 150, 1_400))
                .plus(report("a", "2", 200, 2_000))
                .plus(report("a", "2", 201, 2_002));

        assertThat(requests(since.ofCallers())).containsExactly(51, 502);
    }

    @Test
    void takesAFallingNumberForARestart() {
        Since since = Since.BEGINNING
                .plus(report("a", "1", 100, 900))
                .plus(report("a", "1", 110, 800))
                .plus(report("a", "1", 111, 803));

        assertThat(requests(since.ofCallers())).containsExactly(1, 3);
    }

    @Test
    void leavesOutReportsWithOneArm() {
        Since since = Since.BEGINNING
                .plus(new NodeCount("a", "1", new Arm(List.of()), arm(500)))
                .plus(report("a", "1", 0, 900))
                .plus(report("a", "1", 10, 1_000))
                .plus(new NodeCount("a", "1", arm(99), new Arm(List.of())));

        assertThat(requests(since.ofCallers())).containsExactly(10, 100);
    }

    @Test
    void hasNothingAtTheBeginning() {
        assertThat(Since.BEGINNING.ofCallers()).isEqualTo(Sample.NONE);
        assertThat(Since.BEGINNING.plus(report("a", "1", 5, 5)).ofCallers().isEmpty())
                .isTrue();
    }

    @Test
    void makesEachNodeAClusterForATrialOnNodes() {
        Since since = Since.BEGINNING
                .plus(report("a", "1", 0, 0))
                .plus(report("a", "1", 3, 4))
                .plus(report("b", "1", 0, 0))
                .plus(report("b", "1", 10, 20));

        Sample sample = since.ofNodes("b"::equals);

        assertThat(sample.trial().clusters()).extracting(Tally::requests).containsExactly(30L);
        assertThat(sample.control().clusters()).extracting(Tally::requests).containsExactly(7L);
    }

    private static NodeCount report(String node, String start, int trial, int control) {
        return new NodeCount(node, start, arm(trial), arm(control));
    }

    /** Two groups, the second one empty. */
    private static Arm arm(int requests) {
        return new Arm(List.of(new Tally(requests, 0, 0, 0, 0, 0), Tally.NONE));
    }

    private static List<Integer> requests(Sample sample) {
        return List.of((int) sample.trial().total().requests(), (int)
                sample.control().total().requests());
    }
}
