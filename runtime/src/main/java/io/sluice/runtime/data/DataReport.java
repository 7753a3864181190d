package io.sluice.runtime.data;

import io.sluice.runtime.data.DataBatch.Kind;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;

/**
 * The data in a report.
 *
 * @param sentMillis when the report was made, by the clock of the process, in milliseconds since 1970
 * @param batches the oldest ones that the center has not stored yet, in the order of their numbers
 * @param dropped how many things of each kind were dropped since the process started, because there was no room for them
 */
public record DataReport(long sentMillis, List<DataBatch> batches, Map<Kind, Long> dropped) {

    public DataReport {
        batches = List.copyOf(batches);
        Map<Kind, Long> all = new EnumMap<>(Kind.class);
        all.putAll(dropped);
        dropped = Map.copyOf(all);
    }
}
