package io.sluice.rules.document;

import io.sluice.core.limit.Calendar;
import io.sluice.core.limit.Rate;
import io.sluice.rules.yaml.Digits;
import io.sluice.rules.yaml.PrintableText;
import io.sluice.rules.yaml.Spans;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.ZoneId;
import java.util.OptionalLong;

/**
 * Converts rates, durations and moments between the text of documents and Java values. A refused text gives an {@link
 * IllegalArgumentException} with the complete error message.
 */
public final class Quantities {

    private static final Duration MICRO = Duration.ofNanos(1_000);
    private static final Duration MILLI = Duration.ofMillis(1);
    private static final int LONGEST_ZONE = 64;

    private Quantities() {}

    /** Parses {@code 50/s}, {@code 5/m}, {@code 100/h}, {@code 1000/d}, {@code 3/10s}, or a whole number per second. */
    static Rate rate(String name, String text) {
        int slash = text.indexOf('/');
        OptionalLong permits = Digits.whole(slash < 0 ? text : text.substring(0, slash));
        Duration per = slash < 0 ? Duration.ofSeconds(1) : per(text.substring(slash + 1));
        if (permits.isEmpty() || permits.getAsLong() < 0 || per.isZero()) {
            throw refused(name, text, "a rate such as 50/s, 5/m, 100/h or 1000/d, or a whole number per second");
        }
        try {
            return new Rate(permits.getAsLong(), per);
        } catch (IllegalArgumentException e) {
            throw refused(name, text, "at most 1000000000/s, and at most 1000000000000 before the slash");
        }
    }

    /** Parses the part after the slash: {@code s}, {@code m}, {@code 10s}. Returns zero for any other text. */
    private static Duration per(String text) {
        boolean digit = !text.isEmpty() && text.charAt(0) >= '0' && text.charAt(0) <= '9';
        return Spans.of(digit ? text : 1 + text);
    }

    /** Parses a window: 1 µs to 1,000 days. */
    static Duration window(String name, String text) {
        return Spans.of(name, text, MICRO, Spans.LONGEST);
    }

    /** Parses a wait: zero, or at most 1,000 days. */
    static Duration wait(String name, String text) {
        return text.equals("0") || text.equals("0s") ? Duration.ZERO : window(name, text);
    }

    /** Parses {@code 250ms}, {@code 1s}, {@code 1m}, {@code 1h} or {@code 1d}, from 1 ms to {@code longest}. */
    static Duration span(String name, String text, Duration longest) {
        return Spans.of(name, text, MILLI, longest);
    }

    /** Returns a duration as documents write it. */
    public static String text(Duration span) {
        return Spans.text(span);
    }

    /**
     * Returns the value of a parameter as documents write it: whole numbers and flags as they are, all other values as text.
     */
    public static Object written(Object value) {
        if (value instanceof Duration span) {
            return text(span);
        }
        if (value instanceof Calendar calendar) {
            return calendar.word();
        }
        return value instanceof Long || value instanceof Boolean ? value : value.toString();
    }

    public static Duration ofMicros(long micros) {
        return MICRO.multipliedBy(micros);
    }

    /** Parses a moment with its offset, in the years 1 to 9999. */
    static Instant moment(String name, String text) {
        try {
            OffsetDateTime moment = OffsetDateTime.parse(text);
            if (moment.getYear() >= 1 && moment.getYear() <= 9999) {
                return moment.toInstant();
            }
        } catch (DateTimeException e) {
            // The text is refused below, like a year out of range.
        }
        throw refused(name, text, "a date and time with offset, such as 2027-01-01T00:00:00Z");
    }

    static ZoneId zone(String name, String text) {
        try {
            if (text.length() <= LONGEST_ZONE) {
                return ZoneId.of(text);
            }
        } catch (DateTimeException e) {
            // The text is refused below.
        }
        throw refused(name, text, "a time zone such as UTC, Europe/Berlin or +08:00");
    }

    static IllegalArgumentException refused(String name, String text, String expected) {
        return new IllegalArgumentException(name + ": " + PrintableText.text(text) + " (expected: " + expected + ")");
    }
}
