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
 * A node of a fleet was stopped in its tracks and went on later.
 *
 * @param seconds for which it spent nothing
 * @param atHand permits that it had not spent of leases that ended meanwhile
 * @param spends how often it spent something after it went on
 * @param report the checker's word on all nodes
 * @param histories where they are, if there is something wrong with them
 */
public record Stopped(double seconds, long atHand, long spends, CheckReport report, Path histories) {

    /** Algorithms that are leased. */
    public static final List<String> ALGORITHMS = Fleets.LEASED;

    /** Stops a node for so long; takes about twice the time. At half of the limit, so that it has something at hand. */
    public static Stopped during(String algorithm, double seconds) throws IOException {
        Logbook log = Fleets.voyage(algorithm, true, false, 0.5, 2 * seconds, Mishap.STOP)
                .sail(true);
        History history = Objects.requireNonNull(log.history());
        return of(history.nodes().get(0).events(), Objects.requireNonNull(log.report()), log.histories());
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
        // An idle lease goes back before its end, so one that ended in this time was cut short by it.
        return ends.entrySet().stream()
                .filter(lease -> lease.getValue() - stoppedNanos > 0 && lease.getValue() - wentOnNanos < 0)
                .mapToLong(lease -> left.getOrDefault(lease.getKey(), 0L))
                .sum();
    }
}
