package io.sluice.center.sink;

import org.jspecify.annotations.Nullable;

/**
 * The state of a sink, as this center knows it.
 *
 * @param sent the last row that the sink received or lost
 * @param waiting the number of rows that the sink does not have yet
 * @param dropped the number of rows that the sink lost since it was set up
 * @param problem why the sink receives nothing now; null if it works
 */
public record SinkReply(
        String name,
        long sent,
        long waiting,
        long dropped,
        @Nullable String problem) {}
