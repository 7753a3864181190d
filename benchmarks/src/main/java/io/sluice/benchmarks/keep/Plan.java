package io.sluice.benchmarks.keep;

/** The classes of callers that share a limit, in the order in which they go first. */
enum Plan {
    TOP("top"),
    FREE("free"),
    BATCH("batch");

    private final String word;

    Plan(String word) {
        this.word = word;
    }

    String word() {
        return word;
    }
}
