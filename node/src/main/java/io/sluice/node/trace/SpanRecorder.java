package io.sluice.node.trace;

/** Accepts finished spans. Called by many threads at the same time, so it must be thread-safe; it must never block. */
@FunctionalInterface
public interface SpanRecorder {

    /** Accepts a span, or drops it if too many are waiting. */
    void ended(FinishedSpan span);
}
