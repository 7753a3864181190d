package io.sluice.center.release;

import io.sluice.center.verdict.Arm;
import io.sluice.center.verdict.NodeCount;
import io.sluice.runtime.fleet.NodeReport;
import io.sluice.runtime.fleet.Tally;
import io.sluice.runtime.fleet.TrialReport;
import java.util.List;

/** Converts the reports of nodes to the counts that a verdict needs. */
final class NodeCounts {

    private static final Arm NOTHING = new Arm(List.of(Tally.NONE));

    private NodeCounts() {}

    /** Returns the counts of a whole node. */
    static NodeCount ofNode(NodeReport report) {
        return new NodeCount(
                report.node(),
                Long.toString(report.identity().startedMillis()),
                new Arm(List.of(report.data().tally())),
                NOTHING);
    }

    /** Returns the counts of the callers of a node that has a version on trial. */
    static NodeCount ofCallers(NodeReport report) {
        TrialReport trial = report.data().trial().orElseThrow();
        return new NodeCount(
                report.node(),
                report.identity().startedMillis() + ":" + trial.version(),
                arm(trial.trial()),
                arm(trial.control()));
    }

    private static Arm arm(List<Tally> groups) {
        return new Arm(groups);
    }
}
