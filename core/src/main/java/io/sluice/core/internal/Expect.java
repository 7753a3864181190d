package io.sluice.core.internal;

import java.time.Duration;

/** Checks arguments. All errors have the form {@code name: value (expected: …)}. */
public final class Expect {

    private static final Duration LONGEST = Duration.ofDays(1_000);

    /** The maximum duration, 1000 days. Longer waits are not supported, because not all of them could be represented. */
    public static final long LONGEST_MICROS = LONGEST.toSeconds() * 1_000_000;

    private Expect() {}

    public static long range(String name, long value, long least, long most) {
        if (value < least || value > most) {
            throw new IllegalArgumentException(name + ": " + value + " (expected: " + least + ".." + most + ")");
        }
        return value;
    }

    /** Checks a share: above 0, at most 1. */
    public static double share(double share) {
        if (!(share > 0 && share <= 1)) {
            throw new IllegalArgumentException("share: " + share + " (expected: above 0, at most 1)");
        }
        return share;
    }

    /** Returns a wait in whole microseconds, rounded down. It must be between zero and 1000 days. */
    public static long wait(String name, Duration wait) {
        if (wait.isNegative() || wait.compareTo(LONGEST) > 0) {
            throw new IllegalArgumentException(name + ": " + wait + " (expected: PT0S to " + LONGEST + ")");
        }
        return wait.getSeconds() * 1_000_000 + wait.getNano() / 1_000;
    }

    /** Returns a duration in whole microseconds. It must be between one microsecond and 1000 days. */
    public static long micros(String name, Duration span) {
        if (span.compareTo(Duration.ofNanos(1_000)) < 0 || span.compareTo(LONGEST) > 0 || span.getNano() % 1_000 != 0) {
            throw new IllegalArgumentException(
                    name + ": " + span + " (expected: whole microseconds from PT0.000001S to " + LONGEST + ")");
        }
        return span.getSeconds() * 1_000_000 + span.getNano() / 1_000;
    }
}
