package io.sluice.node.trace;

import java.util.Map;

/**
 * A span that has ended. It never holds a value that a caller chose. Immutable.
 *
 * @param parentId the id of the parent span; empty if the trace starts with this span
 * @param endEpochNanos the time at which the span ended
 * @param nanos the duration of the span
 * @param failed whether the span counts as an error
 * @param attributes texts, whole numbers as {@link Long} and booleans
 */
public record FinishedSpan(
        String traceId,
        String spanId,
        String parentId,
        String name,
        Kind kind,
        long endEpochNanos,
        long nanos,
        boolean failed,
        Map<String, Object> attributes) {

    /** The side of a call that a span shows. */
    public enum Kind {
        /** A request that this node answers. */
        SERVER,
        /** A request that this node sends. */
        CLIENT,
        /** Work inside this node. */
        INTERNAL
    }

    public FinishedSpan {
        attributes = Map.copyOf(attributes);
    }
}
