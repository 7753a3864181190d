package io.sluice.center.release;

import io.sluice.center.verdict.Arm;
import io.sluice.center.verdict.Tally;
import io.sluice.runtime.fleet.NodeReport;
import io.sluice.runtime.fleet.TrialReport;
import java.util.List;

/** What a node reports, in the form that a verdict needs. */
final class NodeCounts {

    private static final Arm NOTHING = new Arm(List.of(Tally.NONE));

    private NodeCounts() {}

    /** Returns the counts of a node as a whole. */
    static io.sluice.center.verdict.NodeReport ofNode(NodeReport report) {
        return new io.sluice.center.verdict.NodeReport(
                report.node(), Long.toString(report.startedMillis()), new Arm(List.of(tally(report.tally()))), NOTHING);
    }

    /** Returns the counts of the callers of a node that has a version on trial. */
    static io.sluice.center.verdict.NodeReport ofCallers(NodeReport report) {
        TrialReport trial = report.trial().orElseThrow();
        return new io.sluice.center.verdict.NodeReport(
                report.node(),
                report.startedMillis() + ":" + trial.version(),
                arm(trial.trial()),
                arm(trial.control()));
    }

    private static Arm arm(List<io.sluice.runtime.fleet.Tally> groups) {
        return new Arm(groups.stream().map(NodeCounts::tally).toList());
    }

    private static Tally tally(io.sluice.runtime.fleet.Tally tally) {
        return new Tally(
                tally.requests(),
                tally.refused(),
                tally.degraded(),
                tally.answers(),
                tally.errors(),
                tally.latencyMicros());
    }
}
