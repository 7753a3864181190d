package io.sluice.benchmarks.keep;

/** The classes of callers that share a limit, in the order in which they go first. */
enum Plan {
    TOP("top", "#1f5fa8"),
    FREE("free", "#5fb3a1"),
    BATCH("batch", "#d9b86a");

    private final String word;
    private final String colour;

    Plan(String word, String colour) {
        this.word = word;
        this.colour = colour;
    }

    String word() {
        return word;
    }

    /** Returns its colour in pictures. */
    String colour() {
        return colour;
    }
}
