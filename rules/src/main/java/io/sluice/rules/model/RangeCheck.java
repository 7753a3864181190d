package io.sluice.rules.model;

import java.time.Duration;

/** Checks values and refuses impossible ones, in the form {@code name: value (expected: …)}. */
final class RangeCheck {

    private static final Duration SHORTEST = Duration.ofMillis(1);

    private RangeCheck() {}

    static void share(String name, double share) {
        if (!(share > 0 && share <= 1)) {
            throw new IllegalArgumentException(name + ": " + share + " (expected: more than 0 and at most 1)");
        }
    }

    static void span(String name, Duration span, Duration longest) {
        if (span.compareTo(SHORTEST) < 0 || span.compareTo(longest) > 0) {
            throw new IllegalArgumentException(name + ": " + span + " (expected: " + SHORTEST + " to " + longest + ")");
        }
    }
}
