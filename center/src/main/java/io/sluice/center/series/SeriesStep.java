package io.sluice.center.series;

import java.time.Duration;
import java.util.Arrays;
import java.util.Optional;

/** How long the time of one point is. Days are those of UTC. */
public enum SeriesStep {
    /** Kept for an hour. */
    SECOND("second", 1, Duration.ofHours(1)),
    /** Kept for two days. */
    MINUTE("minute", 60, Duration.ofDays(2)),
    /** Kept for a year. */
    HOUR("hour", 3_600, Duration.ofDays(365)),
    /** Computed from hours. */
    DAY("day", 86_400, Duration.ofDays(365));

    private final String word;

    /** An answer has at most this many points. */
    public static final int MOST_POINTS = 3_700;

    /** Up to this time, each second is a point unless somebody asks for something else. */
    private static final long SECONDS_SHOWN = 900;

    private final long seconds;
    private final Duration kept;

    SeriesStep(String word, long seconds, Duration kept) {
        this.word = word;
        this.seconds = seconds;
        this.kept = kept;
    }

    public long seconds() {
        return seconds;
    }

    /** Returns how long such points are kept at least, unless somebody configured something else. */
    Duration kept() {
        return kept;
    }

    /** Returns the name in the API. */
    public String word() {
        return word;
    }

    public static Optional<SeriesStep> of(String word) {
        return Arrays.stream(values()).filter(step -> step.word().equals(word)).findFirst();
    }

    /** Returns when the step of a second begins. */
    public long start(long second) {
        return Math.floorDiv(second, seconds) * seconds;
    }

    /** Returns how many points a time has at most. */
    public long points(long from, long until) {
        return Math.floorDiv(until - 1, seconds) - Math.floorDiv(from, seconds) + 1;
    }

    /** Returns the finest step that is kept for a time and makes a readable chart. */
    public static SeriesStep fitting(long from, long until, long now) {
        if (until - from <= SECONDS_SHOWN && from >= now - SECOND.kept.toSeconds()) {
            return SECOND;
        }
        if (MINUTE.points(from, until) <= MOST_POINTS && from >= now - MINUTE.kept.toSeconds()) {
            return MINUTE;
        }
        return HOUR.points(from, until) <= MOST_POINTS ? HOUR : DAY;
    }
}
