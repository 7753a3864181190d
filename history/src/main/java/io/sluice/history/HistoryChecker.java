package io.sluice.history;

import io.sluice.core.history.AnswerEvent;
import io.sluice.core.history.HistoryEvent;
import io.sluice.core.history.SpendEvent;
import io.sluice.core.history.StepEvent;
import io.sluice.core.history.UnspendEvent;
import io.sluice.core.limit.Limit;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/**
 * Checks histories after the fact: whether the limits allow what was done, whether the algorithms give the recorded answers, and
 * whether callers received them. {@code docs/history.md} says in full what that proves. The checker raises no false alarm: where
 * it cannot know something, because a process was killed or an answer was lost, it assumes the best. For sliding logs and
 * concurrency permits, it presumes that the counts were unused when recording began, and that every process that uses them
 * records.
 *
 * <pre>{@code
 * HistoryWriter history = HistoryWriter.open(dir.resolve("n1.history"), "n1");   // in each process
 * RedisOptions options = RedisOptions.defaults().recording(history);
 * ...
 * CheckReport report = HistoryChecker.check(files);                              // afterwards, on all files
 * }</pre>
 *
 * Takes O(n log n) time for n events.
 */
public final class HistoryChecker {

    private final Findings findings = new Findings();
    private long checked;
    private long missing;
    private long unchecked;
    private long answers;
    private long spends;

    private HistoryChecker() {}

    /** Reads and checks the files of all processes that used the same counts. */
    public static CheckReport check(List<Path> files) throws IOException {
        return check(History.read(files));
    }

    /** Checks a history. */
    public static CheckReport check(History history) {
        return new HistoryChecker().checked(history);
    }

    /** Checks the given files, prints the report, and exits with 1 if anything is wrong. */
    public static void main(String[] files) throws IOException {
        if (files.length == 0) {
            System.err.println("no files (expected: the history files of all processes that shared counts)");
            System.exit(2);
        }
        CheckReport report = check(Stream.of(files).map(Path::of).toList());
        System.out.println(report);
        System.exit(report.isClean() ? 0 : 1);
    }

    private CheckReport checked(History history) {
        Map<String, List<StepEvent>> counts = new LinkedHashMap<>();
        for (History.Node node : history.nodes()) {
            node(node, counts);
        }
        boolean whole = history.nodes().stream().allMatch(History.Node::whole);
        FailoverForks forks = FailoverForks.of(counts.values());
        counts.forEach((count, steps) -> {
            steps.sort(Comparator.comparingLong(StepEvent::since)
                    .thenComparingInt(step -> forks.before(step.atMicros()))
                    .thenComparingLong(StepEvent::number)
                    .thenComparing(step -> !step.changed())
                    .thenComparingLong(StepEvent::atMicros));
            numberings(count, steps, forks);
            if (whole) {
                ReturnCheck.check(count, steps, forks, findings);
            }
        });
        return new CheckReport(findings.kept(), findings.found(), checked, missing, unchecked, answers, spends);
    }

    private void node(History.Node node, Map<String, List<StepEvent>> counts) {
        AskCheck asks = new AskCheck(findings, node.whole());
        SpendCheck leases = new SpendCheck(findings);
        for (HistoryEvent event : node.events()) {
            if (event instanceof StepEvent recorded) {
                counts.computeIfAbsent(recorded.count(), unknown -> new ArrayList<>())
                        .add(recorded);
                recorded(recorded, asks, leases);
            } else if (event instanceof SpendEvent spent) {
                spends++;
                answers += spent.answers() ? 1 : 0;
                asks.spent(spent);
                leases.spent(spent);
            } else if (event instanceof UnspendEvent unspent) {
                spends++;
                asks.unspent(unspent);
                leases.unspent(unspent);
            } else if (event instanceof AnswerEvent answered) {
                answers++;
                asks.answered(answered);
            }
        }
        asks.finish();
        if (node.whole()) {
            leases.finish();
        }
    }

    private static void recorded(StepEvent recorded, AskCheck asks, SpendCheck leases) {
        if (recorded.step() instanceof StepEvent.Asked asked) {
            asks.asked(recorded, asked);
        } else if (recorded.step() instanceof StepEvent.Granted granted) {
            leases.granted(recorded.count(), granted);
            if (granted.granted() == 0) {
                asks.leaseRefused(recorded.count());
            }
        } else if (recorded.step() instanceof StepEvent.Ended ended) {
            leases.ended(recorded.count(), ended);
        }
    }

    /** Checks each numbering of a count as a history of its own: when it began, the store had forgotten everything before it. */
    private void numberings(String count, List<StepEvent> steps, FailoverForks forks) {
        int from = 0;
        for (int to = 1; to <= steps.size(); to++) {
            if (to == steps.size() || steps.get(to).since() != steps.get(from).since()) {
                numbering(count, steps.subList(from, to), forks);
                from = to;
            }
        }
    }

    private void numbering(String count, List<StepEvent> steps, FailoverForks forks) {
        Limit limit = CountCheck.limitOf(steps);
        if (limit != null) {
            CountCheck check = new CountCheck(count, limit, findings);
            check.check(steps, forks);
            checked += check.checked();
            missing += check.missing();
            unchecked += check.unchecked();
        }
    }
}
