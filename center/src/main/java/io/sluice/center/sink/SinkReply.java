package io.sluice.center.sink;

import org.jspecify.annotations.Nullable;

/**
 * The state of a sink, as this center knows it.
 *
 * @param sent the last row that it got, or lost
 * @param waiting how many rows it does not have yet
 * @param dropped how many rows it lost since it was set up
 * @param problem why it gets nothing now; null if it does
 */
public record SinkReply(
        String name,
        long sent,
        long waiting,
        long dropped,
        @Nullable String problem) {}
