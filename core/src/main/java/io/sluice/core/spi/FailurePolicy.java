package io.sluice.core.spi;

/** The policy that decides while the engine cannot. Ordered from lenient to strict. */
public enum FailurePolicy {
    /** All requests pass. */
    OPEN("open"),
    /** Each process enforces its own share of the limit. */
    LOCAL("local"),
    /** No request passes. */
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
