package io.sluice.center.series;

import java.time.Duration;
import java.util.Arrays;
import java.util.Optional;

/** The length of the time of one point. Days are days of UTC. */
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

    /** The maximum number of points in a reply. */
    public static final int MOST_POINTS = 3_700;

    /** Up to this length of time, each second is a point unless the request names another step. */
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

    /** Returns the minimum time for which such points are kept by default. */
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

    /** Returns the start of the step that contains a second. */
    public long start(long second) {
        return Math.floorDiv(second, seconds) * seconds;
    }

    /** Returns the maximum number of points in a time span. */
    public long points(long from, long until) {
        return Math.floorDiv(until - 1, seconds) - Math.floorDiv(from, seconds) + 1;
    }

    /** Returns the finest step that is kept for a time span and makes a readable chart. */
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
