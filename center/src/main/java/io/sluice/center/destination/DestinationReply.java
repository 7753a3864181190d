package io.sluice.center.destination;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * The state of a destination, as this center knows it since its start.
 *
 * @param lastSuccess when it last took messages; null if it never did
 * @param lastError why it last took none; null if it always did
 * @param waiting how many messages it does not have yet
 * @param dropped how many messages it lost
 */
public record DestinationReply(
        String name,
        @Nullable Instant lastSuccess,
        @Nullable String lastError,
        long waiting,
        long dropped) {}
