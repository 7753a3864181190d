package io.sluice.center.dryrun;

import io.sluice.replay.log.LoggedRequest;
import io.sluice.replay.run.Outcome;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;

/** Counts the requests that a change newly refuses, and their callers. Bounded in memory. Not thread-safe. */
final class RefusalTally {

    /** The maximum number of callers that are distinguished. */
    static final int MOST_CALLERS = 100_000;

    private static final long MINUTE = 60_000_000;

    private final Function<Outcome.Refusal, String> by;
    private final boolean onlyMatched;
    private final Map<String, CallerTally> callers = new HashMap<>();
    private final Map<String, Set<String>> callersOfRules = new HashMap<>();
    private final Map<Long, Long> minutes = new HashMap<>();
    private int remembered;
    private boolean full;
    private long requests;
    private long refusedBefore;
    private long refusedAfter;
    private long newlyRefused;
    private long newlyAllowed;
    private long firstMicros = Long.MAX_VALUE;

    /** A caller, and one of its newly refused requests. */
    static final class CallerTally {

        private final String rule;
        private final String by;
        private final String file;
        private final long line;
        private final long atMicros;
        private long count;

        CallerTally(String rule, String by, LoggedRequest request) {
            this.rule = rule;
            this.by = by;
            this.file = request.file();
            this.line = request.line();
            this.atMicros = request.atMicros();
        }

        String rule() {
            return rule;
        }

        /** Returns the attributes that distinguish callers. */
        String by() {
            return by;
        }

        /** Returns the excerpt that contains the request. */
        String file() {
            return file;
        }

        /** Returns the line number of the request. */
        long line() {
            return line;
        }

        long count() {
            return count;
        }
    }

    /**
     * Creates a tally.
     *
     * @param by returns the attributes by which a refusal distinguishes callers
     * @param onlyMatched whether requests count only if a rule applies to them
     */
    RefusalTally(Function<Outcome.Refusal, String> by, boolean onlyMatched) {
        this.by = by;
        this.onlyMatched = onlyMatched;
    }

    void add(LoggedRequest request, Outcome after, Outcome before) {
        if (onlyMatched && !after.matched() && !before.matched()) {
            return;
        }
        requests++;
        refusedBefore += before.passes() ? 0 : 1;
        refusedAfter += after.passes() ? 0 : 1;
        newlyAllowed += after.passes() && !before.passes() ? 1 : 0;
        if (before.passes()) {
            after.refusal().ifPresent(refusal -> refused(request, refusal));
        }
    }

    private void refused(LoggedRequest request, Outcome.Refusal refusal) {
        newlyRefused++;
        firstMicros = Math.min(firstMicros, request.atMicros());
        minutes.merge(Math.floorDiv(request.atMicros(), MINUTE), 1L, Long::sum);
        String names = by.apply(refusal);
        String caller = names + "\n" + refusal.caller();
        CallerTally known = callers.get(caller);
        if (known == null && callers.size() < MOST_CALLERS) {
            known = new CallerTally(refusal.rule(), names, request);
            callers.put(caller, known);
        }
        full |= known == null;
        if (known != null) {
            known.count++;
        }
        Set<String> ofRule = callersOfRules.computeIfAbsent(refusal.rule(), any -> new HashSet<>());
        if (remembered < 2 * MOST_CALLERS && ofRule.add(caller)) {
            remembered++;
        }
    }

    long requests() {
        return requests;
    }

    long refusedBefore() {
        return refusedBefore;
    }

    long refusedAfter() {
        return refusedAfter;
    }

    long newlyRefused() {
        return newlyRefused;
    }

    long newlyAllowed() {
        return newlyAllowed;
    }

    /** Returns the number of newly refused callers, as their limits distinguish them. */
    int callers() {
        return callers.size();
    }

    /** Returns whether there are more callers than the tally distinguishes. */
    boolean isFull() {
        return full;
    }

    int callersOf(String rule) {
        return callersOfRules.getOrDefault(rule, Set.of()).size();
    }

    /** Returns the time of the first newly refused request. There must be one. */
    long firstMicros() {
        return firstMicros;
    }

    /** Returns the start of the minute with the most newly refused requests, and the number of these requests. */
    Optional<Map.Entry<Long, Long>> worst() {
        return minutes.entrySet().stream()
                .max(Map.Entry.<Long, Long>comparingByValue()
                        .thenComparing(Map.Entry.comparingByKey(Comparator.reverseOrder())))
                .map(each -> Map.entry(each.getKey() * MINUTE, each.getValue()));
    }

    /** Returns the callers with the most newly refused requests. */
    List<CallerTally> top(int most) {
        List<CallerTally> all = new ArrayList<>(callers.values());
        all.sort(Comparator.comparingLong(CallerTally::count)
                .reversed()
                .thenComparingLong(each -> each.atMicros)
                .thenComparing(CallerTally::file)
                .thenComparingLong(CallerTally::line));
        return List.copyOf(all.subList(0, Math.min(most, all.size())));
    }
}
