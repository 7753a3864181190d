package io.sluice.core.limit;

import java.time.DayOfWeek;
import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneId;
import java.time.temporal.ChronoUnit;
import java.time.temporal.TemporalAdjusters;

/** The beginnings and ends of windows. Immutable; reads no clock. */
public abstract sealed class Windows {

    private Windows() {}

    /** A window. It includes its beginning but not its end. */
    public record Window(long startMicros, long endMicros) {

        public boolean contains(long micros) {
            return startMicros <= micros && micros < endMicros;
        }
    }

    /** Returns windows of one length that follow each other from the epoch. */
    public static Windows of(long micros) {
        return new Even(micros);
    }

    /** Returns the windows of the calendar in a zone. */
    public static Windows of(Calendar calendar, ZoneId zone) {
        return new Aligned(calendar, zone);
    }

    /** Returns the window that contains a moment. */
    public abstract Window at(long micros);

    /** Returns whether all windows have the same length and follow each other from the epoch. */
    public boolean areEven() {
        return this instanceof Even;
    }

    /** Returns the length of a window in which clocks are not put forward or back. */
    public abstract long usualMicros();

    private static final class Even extends Windows {

        private final long micros;

        Even(long micros) {
            this.micros = micros;
        }

        @Override
        public Window at(long moment) {
            long start = Math.floorDiv(moment, micros) * micros;
            return new Window(start, start + micros);
        }

        @Override
        public long usualMicros() {
            return micros;
        }
    }

    private static final class Aligned extends Windows {

        private static final long DAY = 86_400_000_000L;

        private final Calendar calendar;
        private final ZoneId zone;

        /** The last window that was returned. Calendar arithmetic is slow, and nearly every call is for the same window. */
        private volatile Window last = new Window(0, 0);

        Aligned(Calendar calendar, ZoneId zone) {
            this.calendar = calendar;
            this.zone = zone;
        }

        @Override
        public Window at(long moment) {
            Window window = last;
            if (!window.contains(moment)) {
                window = find(moment);
                last = window;
            }
            return window;
        }

        @Override
        public long usualMicros() {
            return switch (calendar) {
                case DAY -> DAY;
                case WEEK -> 7 * DAY;
                case MONTH -> 30 * DAY;
                case YEAR -> 365 * DAY;
            };
        }

        private Window find(long moment) {
            LocalDate today =
                    Instant.EPOCH.plus(moment, ChronoUnit.MICROS).atZone(zone).toLocalDate();
            LocalDate first =
                    switch (calendar) {
                        case DAY -> today;
                        case WEEK -> today.with(TemporalAdjusters.previousOrSame(DayOfWeek.MONDAY));
                        case MONTH -> today.withDayOfMonth(1);
                        case YEAR -> today.withDayOfYear(1);
                    };
            LocalDate next =
                    switch (calendar) {
                        case DAY -> first.plusDays(1);
                        case WEEK -> first.plusWeeks(1);
                        case MONTH -> first.plusMonths(1);
                        case YEAR -> first.plusYears(1);
                    };
            Window window = new Window(micros(first), micros(next));
            // If clocks are put back just after midnight, they show the previous day again, but the new day has already
            // started.
            return moment < window.endMicros ? window : at(window.endMicros);
        }

        private long micros(LocalDate date) {
            return ChronoUnit.MICROS.between(
                    Instant.EPOCH, date.atStartOfDay(zone).toInstant());
        }
    }
}
