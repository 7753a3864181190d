package io.sluice.runtime.data;

import io.sluice.runtime.data.DataBatch.Kind;
import java.util.List;
import java.util.Map;

/**
 * The data in a report.
 *
 * @param sentMillis when the report was made, by the clock of the process, in milliseconds since 1970
 * @param batches the oldest ones that the center has not stored yet, in the order of their numbers
 * @param dropped the number of items of each kind that were dropped since the process started, because there was no room for them
 * @param pending the number of items of each kind that wait for their batch. They are lost if the process is killed before its next report
 */
public record DataReport(long sentMillis, List<DataBatch> batches, Map<Kind, Long> dropped, Map<Kind, Long> pending) {

    public DataReport {
        batches = List.copyOf(batches);
        dropped = Map.copyOf(dropped);
        pending = Map.copyOf(pending);
    }

    /** Creates the data of a process in which nothing waits for a batch. */
    public DataReport(long sentMillis, List<DataBatch> batches, Map<Kind, Long> dropped) {
        this(sentMillis, batches, dropped, Map.of());
    }
}
