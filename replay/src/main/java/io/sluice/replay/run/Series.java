package io.sluice.replay.run;

import java.util.ArrayList;
import java.util.List;

/**
 * Counts by time. Immutable.
 *
 * @param startMicros the start of the first step, in microseconds since the epoch
 * @param stepMicros the length of a step
 */
public record Series(long startMicros, long stepMicros, List<Long> allowed, List<Long> refused) {

    public Series {
        allowed = List.copyOf(allowed);
        refused = List.copyOf(refused);
    }

    static List<Long> list(long[] counts, int used) {
        List<Long> list = new ArrayList<>(used);
        for (int i = 0; i < used; i++) {
            list.add(counts[i]);
        }
        return list;
    }
}
