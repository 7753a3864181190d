package io.sluice.rules.review;

/** Counts the comparisons of two scopes or two limits. Not thread-safe. */
final class Effort {

    private long comparisons;

    void compared() {
        comparisons++;
    }

    long comparisons() {
        return comparisons;
    }
}
