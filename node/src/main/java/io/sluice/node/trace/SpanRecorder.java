package io.sluice.node.trace;

/** Takes spans that have ended. Called by many threads at once, so it must be thread-safe; it must never block. */
@FunctionalInterface
public interface SpanRecorder {

    /** Takes a span, or drops it if too many are waiting. */
    void ended(FinishedSpan span);
}
