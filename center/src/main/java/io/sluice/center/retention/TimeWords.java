package io.sluice.center.retention;

import java.time.Duration;
import java.util.List;

/** Writes a time in words: {@code 2 years}, {@code 90 days}, {@code 12 hours}. */
final class TimeWords {

    private static final List<Unit> UNITS = List.of(
            new Unit("year", Duration.ofDays(365)),
            new Unit("day", Duration.ofDays(1)),
            new Unit("hour", Duration.ofHours(1)),
            new Unit("minute", Duration.ofMinutes(1)),
            new Unit("second", Duration.ofSeconds(1)));

    private TimeWords() {}

    private record Unit(String word, Duration length) {}

    /** Returns a time in the longest unit that divides it. A part of a second counts as a whole second. */
    static String of(Duration time) {
        long seconds = time.plusNanos(999_999_999).toSeconds();
        for (Unit unit : UNITS) {
            long count = seconds / unit.length().toSeconds();
            if (count > 0 && seconds % unit.length().toSeconds() == 0) {
                return count + " " + unit.word() + (count == 1 ? "" : "s");
            }
        }
        return "0 seconds";
    }
}
