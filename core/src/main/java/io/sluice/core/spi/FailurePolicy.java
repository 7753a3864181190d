package io.sluice.core.spi;

/** What decides while the engine cannot. From lenient to strict. */
public enum FailurePolicy {
    /** Everything passes. */
    OPEN,
    /** Each process enforces its share of the limit by itself. */
    LOCAL,
    /** Nothing passes. */
    CLOSED
}
