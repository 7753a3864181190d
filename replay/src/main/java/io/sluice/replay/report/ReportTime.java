package io.sluice.replay.report;

import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.time.temporal.ChronoUnit;
import java.util.Locale;

/** Writes times and numbers of reports, in UTC. */
public final class ReportTime {

    private static final DateTimeFormatter MINUTE =
            DateTimeFormatter.ofPattern("yyyy-MM-dd HH:mm", Locale.ROOT).withZone(ZoneOffset.UTC);
    private static final DateTimeFormatter SECOND =
            DateTimeFormatter.ofPattern("yyyy-MM-dd HH:mm:ss", Locale.ROOT).withZone(ZoneOffset.UTC);

    private ReportTime() {}

    /** Returns {@code 2026-11-17T22:41:33Z}, with a fraction if there is one. */
    public static String iso(long micros) {
        return instant(micros).toString();
    }

    /** Returns {@code 2026-11-17 22:41}. */
    public static String minute(long micros) {
        return MINUTE.format(instant(micros));
    }

    /** Returns {@code 2026-11-17 22:41:33}. */
    public static String second(long micros) {
        return SECOND.format(instant(micros));
    }

    /** Returns {@code 1,234,567}. */
    public static String count(long number) {
        return String.format(Locale.ROOT, "%,d", number);
    }

    /** Returns {@code 12.3 %}. */
    public static String share(long part, long whole) {
        if (whole == 0 || part == 0) {
            return "0 %";
        }
        double percent = 100.0 * part / whole;
        return percent < 0.1 ? "< 0.1 %" : String.format(Locale.ROOT, "%.1f %%", percent);
    }

    /** Returns {@code 2 h 5 min}. */
    public static String span(long micros) {
        Duration span = Duration.of(micros, ChronoUnit.MICROS);
        if (span.toDays() > 0) {
            return span.toDays() + " d " + span.toHoursPart() + " h";
        }
        if (span.toHours() > 0) {
            return span.toHours() + " h " + span.toMinutesPart() + " min";
        }
        return span.toMinutes() > 0
                ? span.toMinutes() + " min " + span.toSecondsPart() + " s"
                : span.toSeconds() + " s";
    }

    private static Instant instant(long micros) {
        return Instant.EPOCH.plus(micros, ChronoUnit.MICROS);
    }
}
