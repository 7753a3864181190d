package io.sluice.core.spi;

/** What decides while the engine cannot. Ordered from lenient to strict. */
public enum FailurePolicy {
    /** Everything passes. */
    OPEN,
    /** Each process enforces its own share of the limit. */
    LOCAL,
    /** Nothing passes. */
    CLOSED
}
