package io.sluice.center.stream;

import io.sluice.center.access.Access;
import io.sluice.center.data.StoredBatch;
import io.sluice.runtime.data.Figures;
import io.sluice.runtime.data.SecondCounts;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.TreeMap;
import java.util.function.BiPredicate;

/**
 * Adds up the counts of all nodes by the second, for the current listeners. A second is published two seconds after its end. Counts that
 * arrive later are published as a further event of that second. Bounded. Thread-safe.
 */
final class LiveCounts {

    /** The time from the start of a second to its publication, in seconds. */
    static final long TOLD_AFTER = 3;

    /** The maximum age of counts that are published, in seconds. */
    static final long OLDEST = 60;

    private static final long MOST_AHEAD = 5;

    /** The maximum number of rules over all unpublished seconds. Further rules count only for the fleet. */
    private static final int MOST_RULES = 100_000;

    // Guarded by this.
    private final TreeMap<Long, Second> seconds = new TreeMap<>();
    private int size;
    private boolean isListening;
    private long since;

    private static final class Second {
        Figures fleet = Figures.NONE;
        final Map<String, Figures> rules = new HashMap<>();
    }

    /**
     * Takes counts of a node.
     *
     * @param heardSince the time since which there are listeners, in milliseconds since 1970; empty if there are none
     */
    synchronized void take(StoredBatch batch, long nowMillis, OptionalLong heardSince) {
        if (heardSince.isEmpty()) {
            stop();
            return;
        }
        if (!isListening) {
            isListening = true;
            // Some counts of the second in which the first listener was added may have arrived before it.
            since = Math.floorDiv(heardSince.getAsLong(), 1_000L);
        }
        SecondCounts counts = SecondCounts.of(batch.content());
        long now = Math.floorDiv(nowMillis, 1_000L);
        long second = counts.second() + Math.floorDiv(batch.shiftMillis() + 500, 1_000L);
        if (second <= since || second < now - OLDEST || second > now + MOST_AHEAD) {
            return;
        }
        Second sum = seconds.computeIfAbsent(second, made -> new Second());
        sum.fleet = sum.fleet.plus(counts.total());
        counts.rules().forEach((rule, figures) -> {
            if (sum.rules.containsKey(rule) || size < MOST_RULES) {
                size += sum.rules.containsKey(rule) ? 0 : 1;
                sum.rules.merge(rule, figures, Figures::plus);
            }
        });
    }

    private void stop() {
        isListening = false;
        seconds.clear();
        size = 0;
    }

    /** Returns the events that are due now. */
    synchronized List<CountsEvent> due(long nowMillis, BiPredicate<Access, String> sees) {
        long now = Math.floorDiv(nowMillis, 1_000L);
        List<CountsEvent> events = new ArrayList<>();
        while (!seconds.isEmpty() && seconds.firstKey() <= now - TOLD_AFTER) {
            Map.Entry<Long, Second> oldest = seconds.pollFirstEntry();
            Second sum = oldest.getValue();
            size -= sum.rules.size();
            events.add(new CountsEvent(oldest.getKey(), sum.fleet, sum.rules, sees));
        }
        return events;
    }
}
