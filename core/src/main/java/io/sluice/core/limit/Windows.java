package io.sluice.core.limit;

import java.time.DayOfWeek;
import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneId;
import java.time.temporal.ChronoUnit;
import java.time.temporal.TemporalAdjusters;

/** Where windows begin and end. Immutable; reads no clock. */
public abstract sealed class Windows {

    private Windows() {}

    /** A window: it includes its beginning and not its end. */
    public record Window(long startMicros, long endMicros) {

        public boolean contains(long micros) {
            return startMicros <= micros && micros < endMicros;
        }
    }

    /** Windows of one length, one after the other from the epoch. */
    public static Windows of(long micros) {
        return new Even(micros);
    }

    /** Windows of the calendar in a zone. */
    public static Windows of(Calendar calendar, ZoneId zone) {
        return new Aligned(calendar, zone);
    }

    /** The window that a moment is in. */
    public abstract Window at(long micros);

    /** Whether all windows are of one length and follow each other from the epoch. */
    public boolean areEven() {
        return this instanceof Even;
    }

    /** How long a window is, if no clock is put forward or back in it. */
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

        /** The window last asked for: calendars are slow and nearly every question is about the same one. */
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
            // Clocks put back just after midnight show the day before again; the new day has begun all the same.
            return moment < window.endMicros ? window : at(window.endMicros);
        }

        private long micros(LocalDate date) {
            return ChronoUnit.MICROS.between(
                    Instant.EPOCH, date.atStartOfDay(zone).toInstant());
        }
    }
}
