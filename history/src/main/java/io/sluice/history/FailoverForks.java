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
 * When replicas took over that had not heard of the last steps. They give the numbers of those again, so a number that was given
 * twice tells of it: the first one was lost, and the second came after. In between it is not known who took a step. Where the
 * first answers of a replica got lost, a count may have no number twice although its steps do not follow from each other, so what
 * is seen on one count is believed of all. By the store's time: the clocks of both servers had better agree. Immutable.
 */
final class FailoverForks {

    /** More of them are no failovers any more. */
    private static final int MOST = 100;

    private final List<Fork> forks;

    /** From the first lost step to the first that is surely the replica's. */
    private record Fork(long fromMicros, long untilMicros) {}

    private FailoverForks(List<Fork> forks) {
        this.forks = forks;
    }

    static FailoverForks of(Collection<List<StepEvent>> counts) {
        List<long[]> repeated = new ArrayList<>();
        counts.forEach(steps -> repeated.addAll(repeated(steps)));
        List<Fork> forks = new ArrayList<>();
        Fork fork = next(repeated, Long.MIN_VALUE);
        while (fork != null) {
            forks.add(forks.size() < MOST ? fork : new Fork(fork.fromMicros, Long.MAX_VALUE));
            fork = forks.size() > MOST ? null : next(repeated, fork.untilMicros);
        }
        return new FailoverForks(forks);
    }

    /** After how many of them it was. */
    int before(long atMicros) {
        int before = 0;
        while (before < forks.size() && forks.get(before).untilMicros <= atMicros) {
            before++;
        }
        return before;
    }

    /** Whether it is not known who took a step at that time. */
    boolean isUnsure(long atMicros) {
        int next = before(atMicros);
        return next < forks.size() && forks.get(next).fromMicros <= atMicros;
    }

    /** For each number that was given twice the times of its steps, in their order. */
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
