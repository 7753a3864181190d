package io.sluice.center.verdict;

import io.sluice.runtime.fleet.Tally;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Predicate;

/**
 * The counts of the nodes since a trial began. Both arms always cover the same reports of the same nodes.
 *
 * <p>The counts of a node start with its first report. If the node restarts, its earlier counts remain, and counting continues with its
 * first report afterwards. Requests between these two reports are left out, in both arms. A report with only one arm is left out.
 *
 * <p>Immutable.
 */
public final class Since {

    public static final Since BEGINNING = new Since(Map.of());

    /** The reports of one node: sums up to its last restart, and the first and the last report afterwards. */
    private record Span(Sample before, NodeCount first, NodeCount last) {

        Span plus(NodeCount report) {
            return report.continues(last) ? new Span(before, first, report) : new Span(sample(), report, report);
        }

        Sample sample() {
            Sample since = last.since(first);
            return since.trial().clusters().size() == before.trial().clusters().size() ? sum(before, since) : since;
        }
    }

    private final Map<String, Span> nodes;

    private Since(Map<String, Span> nodes) {
        this.nodes = nodes;
    }

    /** Adds a report. Reports of one node are added in the order in which the node made them. */
    public Since plus(NodeCount report) {
        if (!report.complete()) {
            return this;
        }
        Map<String, Span> changed = new TreeMap<>(nodes);
        Span span = nodes.get(report.node());
        changed.put(report.node(), span == null ? new Span(Sample.NONE, report, report) : span.plus(report));
        return new Since(changed);
    }

    /** Returns the arms of a trial on a share of callers: the groups of callers, summed over the nodes. */
    public Sample ofCallers() {
        return nodes.values().stream()
                .map(Span::sample)
                .reduce((a, b) ->
                        a.trial().clusters().size() == b.trial().clusters().size() ? sum(a, b) : a)
                .orElse(Sample.NONE);
    }

    /** Returns the arms of a trial on a share of nodes: each node is a cluster, with all its callers. */
    public Sample ofNodes(Predicate<String> onTrial) {
        List<Tally> trial = new ArrayList<>();
        List<Tally> control = new ArrayList<>();
        nodes.forEach((node, span) -> {
            Sample sample = span.sample();
            (onTrial.test(node) ? trial : control)
                    .add(sample.trial().total().plus(sample.control().total()));
        });
        return new Sample(new Arm(trial), new Arm(control));
    }

    private static Sample sum(Sample a, Sample b) {
        return new Sample(a.trial().plus(b.trial()), a.control().plus(b.control()));
    }
}
