package io.sluice.center.destination;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * The state of a destination since the start of this center.
 *
 * @param lastSuccess the time at which it last took messages; null if it never did
 * @param lastError the reason of the last failure; null if there was none
 * @param waiting the number of messages that wait for it
 * @param dropped the number of messages that were dropped
 */
public record DestinationReply(
        String name,
        @Nullable Instant lastSuccess,
        @Nullable String lastError,
        long waiting,
        long dropped) {}
