package io.sluice.history;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Collects violations: keeps the first few of each kind and count, and counts all of them. */
final class Findings {

    private static final int KEPT_OF_EACH = 3;
    private static final int KEPT = 1_000;

    private final List<Violation> kept = new ArrayList<>();
    private final Map<String, Integer> seen = new HashMap<>();
    private long found;

    void add(Violation.Kind kind, String count, long number, String sentence) {
        found++;
        if (kept.size() < KEPT && seen.merge(kind + count, 1, Integer::sum) <= KEPT_OF_EACH) {
            kept.add(new Violation(kind, count, number, sentence));
        }
    }

    List<Violation> kept() {
        return kept;
    }

    long found() {
        return found;
    }
}
