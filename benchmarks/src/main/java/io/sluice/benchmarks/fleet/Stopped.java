package io.sluice.benchmarks.fleet;

import io.sluice.core.history.HistoryEvent;
import io.sluice.core.history.SpendEvent;
import io.sluice.core.history.StepEvent;
import io.sluice.core.history.UnspendEvent;
import io.sluice.history.CheckReport;
import io.sluice.history.History;
import java.io.IOException;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/**
 * The result of stopping a node of a fleet (SIGSTOP) and continuing it later.
 *
 * @param seconds how long the node spent nothing
 * @param atHand the unspent permits of its leases that ended while it was stopped
 * @param spends how often the node spent permits after it continued
 * @param report the checker's report on all nodes
 * @param histories the folder of the histories, which is kept only if they have violations
 */
public record Stopped(double seconds, long atHand, long spends, CheckReport report, Path histories) {

    /** The algorithms that can be leased. */
    public static final List<String> ALGORITHMS = Fleets.LEASED;

    /** Stops a node for the given time, in a run of twice that time. At half of the limit, the node has unspent permits. */
    public static Stopped during(String algorithm, double seconds) throws IOException {
        FleetReport result = Fleets.newRun(algorithm, true, false, 0.5, 2 * seconds, FleetFault.STOP)
                .execute(true);
        History history = Objects.requireNonNull(result.history());
        return of(history.nodes().get(0).events(), Objects.requireNonNull(result.report()), result.histories());
    }

    private static Stopped of(List<HistoryEvent> events, CheckReport report, Path histories) {
        List<SpendEvent> spent = events.stream()
                .filter(SpendEvent.class::isInstance)
                .map(SpendEvent.class::cast)
                .toList();
        int on = 1;
        for (int i = 2; i < spent.size(); i++) {
            on = gap(spent, i) > gap(spent, on) ? i : on;
        }
        if (on >= spent.size()) {
            return new Stopped(0, 0, 0, report, histories);
        }
        long atHand = atHand(events, spent.get(on - 1).ownNanos(), spent.get(on).ownNanos());
        return new Stopped(gap(spent, on) / 1e9, atHand, spent.size() - on, report, histories);
    }

    private static long gap(List<SpendEvent> spent, int i) {
        return i < spent.size() ? spent.get(i).ownNanos() - spent.get(i - 1).ownNanos() : 0;
    }

    private static long atHand(List<HistoryEvent> events, long stoppedNanos, long wentOnNanos) {
        Map<String, Long> left = new HashMap<>();
        Map<String, Long> ends = new HashMap<>();
        for (HistoryEvent event : events) {
            if (event instanceof StepEvent recorded && recorded.step() instanceof StepEvent.Granted lease) {
                left.merge(lease.lease(), lease.granted(), Long::sum);
            } else if (event instanceof SpendEvent spent) {
                left.merge(spent.lease(), -spent.permits(), Long::sum);
                ends.put(spent.lease(), spent.endsNanos());
            } else if (event instanceof UnspendEvent unspent) {
                left.merge(unspent.lease(), unspent.permits(), Long::sum);
            }
        }
        // A node returns an idle lease before its end. A lease that ended meanwhile was in use when the node stopped.
        return ends.entrySet().stream()
                .filter(lease -> lease.getValue() - stoppedNanos > 0 && lease.getValue() - wentOnNanos < 0)
                .mapToLong(lease -> left.getOrDefault(lease.getKey(), 0L))
                .sum();
    }
}
