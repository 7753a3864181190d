package io.sluice.replay.run;

import io.sluice.rules.pattern.Attributes;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Finds the callers that are refused most, in little memory (the algorithm of Misra and Gries). While all callers fit, the counts are
 * exact. After that, each count is too low by at most the number of refusals divided by the number of callers that fit. Not thread-safe.
 */
final class FrequentCallers {

    private static final int FEWEST = 16;
    private static final int MOST = 1_024;

    private final CallerRoom room;
    private final Map<String, Frequent> callers = new HashMap<>();
    private long dropped;

    /** The number of callers that all rules together may hold here. */
    static final class CallerRoom {

        private long left;

        CallerRoom(long most) {
            this.left = most;
        }
    }

    /** A caller, represented by one of its requests. */
    static final class Frequent {

        final Attributes request;
        final @Nullable String limit;
        long count;

        private Frequent(Attributes request, @Nullable String limit) {
            this.request = request;
            this.limit = limit;
        }
    }

    FrequentCallers(CallerRoom room) {
        this.room = room;
    }

    /** @param limit the limit that refused the caller; null if no limit did */
    void add(String key, Attributes request, @Nullable String limit) {
        Frequent known = callers.get(key);
        if (known != null) {
            known.count++;
            return;
        }
        int size = callers.size();
        if (size < FEWEST || (size < MOST && room.left > 0)) {
            room.left--;
            Frequent added = new Frequent(request, limit);
            added.count = 1;
            callers.put(key, added);
            return;
        }
        dropped++;
        callers.values().removeIf(each -> --each.count == 0);
        room.left += size - callers.size();
    }

    /** Returns whether counts may be too low. */
    boolean isPartial() {
        return dropped > 0;
    }

    /** Returns the most frequent callers, the highest count first. */
    List<Frequent> top(int most) {
        return callers.entrySet().stream()
                .sorted(Comparator.comparingLong((Map.Entry<String, Frequent> each) -> -each.getValue().count)
                        .thenComparing(Map.Entry::getKey))
                .limit(most)
                .map(Map.Entry::getValue)
                .toList();
    }
}
