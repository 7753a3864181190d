package io.sluice.core.internal;

import java.time.Duration;

/** Refusals of impossible values, all in one form: {@code name: value (expected: what would do)}. */
public final class Expect {

    private static final Duration LONGEST = Duration.ofDays(1_000);

    /** A thousand days: no longer wait is offered, and longer ones could not all be named. */
    public static final long LONGEST_MICROS = LONGEST.toSeconds() * 1_000_000;

    private Expect() {}

    public static long range(String name, long value, long least, long most) {
        if (value < least || value > most) {
            throw new IllegalArgumentException(name + ": " + value + " (expected: " + least + ".." + most + ")");
        }
        return value;
    }

    /** A part of a whole: above 0, at most 1. */
    public static double share(double share) {
        if (!(share > 0 && share <= 1)) {
            throw new IllegalArgumentException("share: " + share + " (expected: above 0, at most 1)");
        }
        return share;
    }

    /** A wait as whole microseconds, rounded down; none to a thousand days. */
    public static long wait(String name, Duration wait) {
        if (wait.isNegative() || wait.compareTo(LONGEST) > 0) {
            throw new IllegalArgumentException(name + ": " + wait + " (expected: PT0S to " + LONGEST + ")");
        }
        return wait.getSeconds() * 1_000_000 + wait.getNano() / 1_000;
    }

    /** A span as whole microseconds, between one microsecond and a thousand days. */
    public static long micros(String name, Duration span) {
        if (span.compareTo(Duration.ofNanos(1_000)) < 0 || span.compareTo(LONGEST) > 0 || span.getNano() % 1_000 != 0) {
            throw new IllegalArgumentException(
                    name + ": " + span + " (expected: whole microseconds from PT0.000001S to " + LONGEST + ")");
        }
        return span.getSeconds() * 1_000_000 + span.getNano() / 1_000;
    }
}
