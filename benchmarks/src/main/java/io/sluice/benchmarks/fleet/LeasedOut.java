package io.sluice.benchmarks.fleet;

import io.sluice.core.history.StepEvent;
import io.sluice.history.History;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * What was out on leases, by the histories of nodes. The store grants half of what the share has left and rounds up, so each lease
 * that is smaller than was wanted tells what others have.
 */
final class LeasedOut {

    private final Map<String, StepEvent.Granted> open = new HashMap<>();

    private LeasedOut() {}

    /** What a node had at that time of the store's. */
    static long at(History.Node node, long atMicros) {
        LeasedOut leases = new LeasedOut();
        steps(node).forEach(leases::take);
        return leases.out(atMicros);
    }

    /** When a node found nothing on leases any more but its own. */
    static Killed.Back backTo(History.Node node, long lost, long sinceMicros) {
        LeasedOut own = new LeasedOut();
        long missed = 0;
        for (StepEvent step : steps(node)) {
            if (step.step() instanceof StepEvent.Granted lease && lease.granted() > 0) {
                long others = lease.cap() - own.out(step.atMicros()) - 2 * lease.granted();
                if (others <= 0) {
                    return new Killed.Back(lost, missed, (step.atMicros() - sinceMicros) / 1e3);
                }
                missed = Math.max(missed, others);
            }
            own.take(step);
        }
        return new Killed.Back(lost, missed, Double.POSITIVE_INFINITY);
    }

    /** Those on the key that all ask for, in the store's order. */
    private static List<StepEvent> steps(History.Node node) {
        Map<String, List<StepEvent>> counts = new HashMap<>();
        String asked = "";
        for (var event : node.events()) {
            if (event instanceof StepEvent recorded) {
                counts.computeIfAbsent(recorded.count(), unknown -> new ArrayList<>())
                        .add(recorded);
                if (recorded.step() instanceof StepEvent.Granted lease
                        && lease.key().equals(Worker.KEY)) {
                    asked = recorded.count();
                }
            }
        }
        List<StepEvent> steps = counts.getOrDefault(asked, List.of());
        return steps.stream()
                .sorted(Comparator.comparingLong(StepEvent::number))
                .toList();
    }

    private void take(StepEvent step) {
        if (step.step() instanceof StepEvent.Granted lease && lease.granted() > 0) {
            open.put(lease.lease(), lease);
        } else if (step.step() instanceof StepEvent.Ended ended) {
            open.remove(ended.lease());
        }
    }

    private long out(long atMicros) {
        return open.values().stream()
                .filter(lease -> lease.endsMicros() > atMicros)
                .mapToLong(StepEvent.Granted::granted)
                .sum();
    }
}
