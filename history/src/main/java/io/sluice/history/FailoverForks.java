package io.sluice.history;

import io.sluice.core.history.StepEvent;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;

/**
 * The times at which replicas took over that had not received the last steps. Such a replica uses the numbers of those steps
 * again. So a number that was used twice reveals a failover: the first step was lost, and the second came after. In between, it
 * is unknown which server took a step. If the first answers of a replica were lost, a count may have no repeated number although
 * its steps do not follow from each other. So a fork found on one count applies to all. Times are by the store, so the clocks of
 * both servers should agree. Immutable.
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

    /** Collects the numbers that were used more than once, on any counts. */
    static final class Builder {

        private final List<long[]> repeated = new ArrayList<>();

        void add(Collection<List<StepEvent>> counts) {
            counts.forEach(steps -> repeated.addAll(repeated(steps)));
        }

        FailoverForks forks() {
            List<Fork> forks = new ArrayList<>();
            Fork fork = next(repeated, Long.MIN_VALUE);
            while (fork != null) {
                forks.add(forks.size() < MOST ? fork : new Fork(fork.fromMicros, Long.MAX_VALUE));
                fork = forks.size() > MOST ? null : next(repeated, fork.untilMicros);
            }
            return new FailoverForks(forks);
        }
    }

    /** Returns how many forks came before a time. */
    int before(long atMicros) {
        int before = 0;
        while (before < forks.size() && forks.get(before).untilMicros <= atMicros) {
            before++;
        }
        return before;
    }

    /** Returns whether it is unknown which server took a step at that time. */
    boolean isUnsure(long atMicros) {
        int next = before(atMicros);
        return next < forks.size() && forks.get(next).fromMicros <= atMicros;
    }

    /** Returns, for each number that was used more than once, the sorted times of its steps. */
    private static Collection<long[]> repeated(List<StepEvent> steps) {
        record Numbered(long since, long number) {}
        Map<Numbered, long[]> times = new HashMap<>();
        for (StepEvent step : steps) {
            if (!step.changed()) {
                continue;
            }
            times.merge(
                    new Numbered(step.since(), step.number()), new long[] {step.atMicros()}, FailoverForks::together);
        }
        times.values().removeIf(each -> each.length < 2);
        return times.values();
    }

    private static long[] together(long[] some, long[] more) {
        return LongStream.concat(Arrays.stream(some), Arrays.stream(more))
                .sorted()
                .toArray();
    }

    private static @Nullable Fork next(List<long[]> repeated, long sinceMicros) {
        long from = Long.MAX_VALUE;
        long until = Long.MAX_VALUE;
        for (long[] times : repeated) {
            int first = 0;
            while (first < times.length && times[first] < sinceMicros) {
                first++;
            }
            if (first + 1 < times.length) {
                from = Math.min(from, times[first]);
                until = Math.min(until, times[first + 1]);
            }
        }
        return from == Long.MAX_VALUE ? null : new Fork(from, Math.max(until, from + 1));
    }
}
