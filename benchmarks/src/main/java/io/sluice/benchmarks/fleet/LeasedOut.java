package io.sluice.benchmarks.fleet;

import io.sluice.core.history.StepEvent;
import io.sluice.history.History;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Computes from histories how many permits were leased. The store grants half of what is left of the share, rounded up. So a
 * lease that is smaller than requested shows how much other nodes have leased.
 */
final class LeasedOut {

    private final Map<String, StepEvent.Granted> open = new HashMap<>();

    private LeasedOut() {}

    /** Returns how many permits a node had leased at a time of the store's clock. */
    static long at(History.Node node, long atMicros) {
        LeasedOut leases = new LeasedOut();
        steps(node).forEach(leases::take);
        return leases.out(atMicros);
    }

    /** Returns when a node first found no leases other than its own. */
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

    /** Returns the steps on {@link Worker#KEY}, in the order of the store. */
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
