package io.sluice.core.spi;

/** What decides while the engine cannot. Ordered from lenient to strict. */
public enum FailurePolicy {
    /** Everything passes. */
    OPEN("open"),
    /** Each process enforces its own share of the limit. */
    LOCAL("local"),
    /** Nothing passes. */
    CLOSED("closed");

    private final String word;

    FailurePolicy(String word) {
        this.word = word;
    }

    /** Returns the spelling in documents and metrics. */
    public String word() {
        return word;
    }
}
