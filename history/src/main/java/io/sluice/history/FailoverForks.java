package io.sluice.history;

import io.sluice.core.history.StepEvent;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The times at which a replica took over without having received the last steps. Such a replica uses the numbers of the lost steps again.
 * So a number that occurs twice reveals a failover: the first step was lost, and the second step came after the failover. In between, it is
 * unknown which server took a step. If the first answers of a replica were lost, a count may have no repeated number although its steps do
 * not follow from each other. So a fork found on one count applies to all counts. Times are by the store, so the clocks of both servers
 * should agree. Immutable.
 */
final class FailoverForks {

    /** With more forks than this, the cause is not failover. */
    private static final int MOST = 100;

    private final List<Fork> forks;

    /** From the first lost step to the first step that certainly belongs to the replica. */
    private record Fork(long fromMicros, long untilMicros) {}

    private FailoverForks(List<Fork> forks) {
        this.forks = forks;
    }

    /**
     * A number that occurs twice: a replica took over in between.
     *
     * @param firstMicros the time of the first use
     * @param lastMicros the time of the last known step before the second use whose number is at least as high; the replica took over later
     * @param againMicros the time of the second use
     */
    private record Repetition(long firstMicros, long lastMicros, long againMicros) {}

    /** Collects the repeated numbers of all counts. */
    static final class Builder {

        private final List<Repetition> repetitions = new ArrayList<>();

        void add(Collection<List<StepEvent>> counts) {
            counts.forEach(steps -> addRepetitions(steps, repetitions));
        }

        FailoverForks forks() {
            List<Fork> forks = new ArrayList<>();
            Fork fork = next(repetitions, Long.MIN_VALUE);
            while (fork != null) {
                forks.add(forks.size() < MOST ? fork : new Fork(fork.fromMicros, Long.MAX_VALUE));
                fork = forks.size() > MOST ? null : next(repetitions, fork.untilMicros);
            }
            return new FailoverForks(forks);
        }
    }

    /** Returns the number of forks before a time. */
    int before(long atMicros) {
        int before = 0;
        while (before < forks.size() && forks.get(before).untilMicros <= atMicros) {
            before++;
        }
        return before;
    }

    /** Returns true if it is unknown which server took a step at that time. */
    boolean isUnsure(long atMicros) {
        int next = before(atMicros);
        return next < forks.size() && forks.get(next).fromMicros <= atMicros;
    }

    private static void addRepetitions(List<StepEvent> steps, List<Repetition> found) {
        record Numbered(long since, long number) {}
        Set<Numbered> used = new HashSet<>();
        List<StepEvent> changes = steps.stream().filter(StepEvent::changed).toList();
        if (changes.stream().allMatch(step -> used.add(new Numbered(step.since(), step.number())))) {
            return;
        }
        List<StepEvent> sorted = changes.stream()
                .sorted(Comparator.comparingLong(StepEvent::atMicros))
                .toList();
        Map<Numbered, Long> before = new HashMap<>();
        // By numbering: each step that has no later step with a higher number, the last step first.
        Map<Long, Deque<StepEvent>> highest = new HashMap<>();
        for (StepEvent step : sorted) {
            Deque<StepEvent> higher = highest.computeIfAbsent(step.since(), unknown -> new ArrayDeque<>());
            while (!higher.isEmpty() && higher.getFirst().number() < step.number()) {
                higher.removeFirst();
            }
            Long first = before.put(new Numbered(step.since(), step.number()), step.atMicros());
            if (first != null) {
                found.add(new Repetition(first, higher.getFirst().atMicros(), step.atMicros()));
            }
            higher.addFirst(step);
        }
    }

    /** Returns the first fork at a time or later, or null if there is none. */
    private static @Nullable Fork next(List<Repetition> repetitions, long sinceMicros) {
        long from = Long.MAX_VALUE;
        long until = Long.MAX_VALUE;
        for (Repetition each : repetitions) {
            if (each.lastMicros >= sinceMicros) {
                from = Math.min(from, Math.max(each.firstMicros, sinceMicros));
                until = Math.min(until, each.againMicros);
            }
        }
        return from == Long.MAX_VALUE ? null : new Fork(from, Math.max(until, from + 1));
    }
}
