package io.sluice.rules.review;

/** Counts how often two scopes or two limits were compared. Not thread-safe. */
final class Effort {

    private long comparisons;

    void compared() {
        comparisons++;
    }

    long comparisons() {
        return comparisons;
    }
}
