package io.sluice.runtime.caller;

import io.sluice.rules.caller.CallerMark;
import io.sluice.runtime.data.DistinctCallers;
import io.sluice.runtime.data.FrequentCallers;
import io.sluice.runtime.data.RefusedMinute;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.LongConsumer;

/** The callers that were refused in one minute, in groups. Bounded. Not thread-safe. */
final class CallerSketches {

    /** The maximum number of groups in a report. */
    static final int MOST_TOLD = 200;

    /** The maximum number of bytes of all groups in a report. */
    static final int MOST_BYTES = 170_000;

    /** The maximum number of groups in memory. */
    static final int MOST_GROUPS = 1_000;

    /** Callers of a group are counted exactly up to three quarters of this number. */
    private static final int SKETCH = 128;

    private final long minute;
    private final Map<Name, Group> groups = new HashMap<>();

    /**
     * The limit and the attributes that the callers of a group have in common.
     *
     * @param attributes the attributes that identify a caller, such as {@code ip} or {@code tenant,user}
     */
    record Name(String rule, String limit, String attributes) {}

    private static final class Group {
        final FrequentCallers frequent = new FrequentCallers(SKETCH);
        final DistinctCallers distinct = new DistinctCallers();
        long refused;
    }

    CallerSketches(long minute) {
        this.minute = minute;
    }

    /** Returns the minute, as a number of minutes since 1970. */
    long minute() {
        return minute;
    }

    /**
     * Adds a refusal. Returns false if there was no room for it.
     *
     * @param caller empty if no attribute distinguishes callers
     */
    boolean add(Name name, Optional<CallerMark> caller) {
        Group group = groups.get(name);
        if (group == null) {
            if (groups.size() >= MOST_GROUPS) {
                return false;
            }
            group = new Group();
            groups.put(name, group);
        }
        group.refused++;
        if (caller.isPresent()) {
            group.frequent.add(caller.get(), 1);
            group.distinct.add(caller.get());
        }
        return true;
    }

    /**
     * Returns the groups with the most refusals.
     *
     * @param leftOut takes the number of refusals in groups for which there is no room
     */
    List<RefusedMinute.Group> most(LongConsumer leftOut) {
        List<Map.Entry<Name, Group>> all = new ArrayList<>(groups.entrySet());
        all.sort(Comparator.<Map.Entry<Name, Group>>comparingLong(each -> -each.getValue().refused)
                .thenComparing(each -> each.getKey().rule())
                .thenComparing(each -> each.getKey().limit())
                .thenComparing(each -> each.getKey().attributes()));
        List<RefusedMinute.Group> told = new ArrayList<>();
        long lost = 0;
        int bytes = 0;
        for (Map.Entry<Name, Group> each : all) {
            Name name = each.getKey();
            Group group = each.getValue();
            byte[] frequent = told.size() < MOST_TOLD ? group.frequent.toBytes() : new byte[0];
            byte[] distinct = group.distinct.toBytes();
            int size = frequent.length + distinct.length + name.rule.length() + name.limit.length();
            if (told.size() == MOST_TOLD || bytes + size > MOST_BYTES) {
                lost += group.refused;
            } else {
                bytes += size;
                told.add(new RefusedMinute.Group(
                        name.rule, name.limit, name.attributes, group.refused, frequent, distinct));
            }
        }
        if (lost > 0) {
            leftOut.accept(lost);
        }
        return told;
    }
}
