package io.sluice.rules.internal.document;

import io.sluice.core.Rate;
import io.sluice.rules.yaml.Digits;
import io.sluice.rules.yaml.Shown;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.ZoneId;
import java.util.List;
import java.util.OptionalLong;

/**
 * Rates, durations and moments as documents write them, and back. Refusals are {@link IllegalArgumentException}s with the whole
 * message.
 */
final class Quantities {

    private static final Duration LONGEST = Duration.ofDays(1_000);
    private static final Duration MICRO = Duration.ofNanos(1_000);
    private static final Duration MILLI = Duration.ofMillis(1);
    private static final int LONGEST_ZONE = 64;

    /** From the longest to the shortest: of those that fit, the first is written. */
    private static final List<Unit> UNITS = List.of(
            new Unit("d", Duration.ofDays(1)),
            new Unit("h", Duration.ofHours(1)),
            new Unit("m", Duration.ofMinutes(1)),
            new Unit("s", Duration.ofSeconds(1)),
            new Unit("ms", MILLI),
            new Unit("us", MICRO));

    private Quantities() {}

    private record Unit(String word, Duration span) {

        long micros() {
            return Quantities.micros(span);
        }
    }

    /** {@code 50/s}, {@code 5/m}, {@code 100/h}, {@code 1000/d}, {@code 3/10s}, or a whole number per second. */
    static Rate rate(String name, String text) {
        int slash = text.indexOf('/');
        OptionalLong permits = Digits.whole(slash < 0 ? text : text.substring(0, slash));
        Duration per = slash < 0 ? Duration.ofSeconds(1) : per(text.substring(slash + 1));
        if (permits.isEmpty() || permits.getAsLong() < 0 || per.isZero()) {
            throw refused(name, text, "a whole number per second, N/s, N/m, N/h or N/d");
        }
        try {
            return new Rate(permits.getAsLong(), per);
        } catch (IllegalArgumentException e) {
            throw refused(name, text, "at most 1000000000/s and 1000000000000 in all");
        }
    }

    /** {@code s}, {@code m}, {@code 10s}; zero if it is neither. */
    private static Duration per(String text) {
        boolean digit = !text.isEmpty() && text.charAt(0) >= '0' && text.charAt(0) <= '9';
        return span(digit ? text : 1 + text);
    }

    /** A window: at most a thousand days. */
    static Duration window(String name, String text) {
        return span(name, text, MICRO, LONGEST);
    }

    /** No wait, or one up to a thousand days. */
    static Duration wait(String name, String text) {
        return text.equals("0") || text.equals("0s") ? Duration.ZERO : window(name, text);
    }

    /** {@code 250ms}, {@code 1s}, {@code 1m}, {@code 1h}, {@code 1d}, from 1 ms to {@code longest}. */
    static Duration span(String name, String text, Duration longest) {
        return span(name, text, MILLI, longest);
    }

    private static Duration span(String name, String text, Duration shortest, Duration longest) {
        Duration span = span(text);
        if (span.compareTo(shortest) < 0 || span.compareTo(longest) > 0) {
            throw refused(name, text, "1ms to " + text(longest) + ", such as 250ms, 1s, 1m, 1h or 1d");
        }
        return span;
    }

    /** Zero if it is no span, or a longer one than any that is legal. */
    private static Duration span(String text) {
        int digits = 0;
        while (digits < text.length() && text.charAt(digits) >= '0' && text.charAt(digits) <= '9') {
            digits++;
        }
        OptionalLong count = Digits.whole(text.substring(0, digits));
        String word = text.substring(digits);
        for (Unit unit : UNITS) {
            if (unit.word().equals(word) && count.isPresent()) {
                boolean tooLong = count.getAsLong() > micros(LONGEST) / unit.micros();
                return tooLong ? Duration.ZERO : unit.span().multipliedBy(count.getAsLong());
            }
        }
        return Duration.ZERO;
    }

    /** A span as documents write it, in the longest unit that it is a whole number of. */
    static String text(Duration span) {
        long micros = micros(span);
        for (Unit unit : UNITS) {
            if (micros >= unit.micros() && micros % unit.micros() == 0) {
                return micros / unit.micros() + unit.word();
            }
        }
        return "0s";
    }

    static Duration ofMicros(long micros) {
        return MICRO.multipliedBy(micros);
    }

    /** A moment with its offset, of the years 1 to 9999. */
    static Instant moment(String name, String text) {
        try {
            OffsetDateTime moment = OffsetDateTime.parse(text);
            if (moment.getYear() >= 1 && moment.getYear() <= 9999) {
                return moment.toInstant();
            }
        } catch (DateTimeException e) {
            // Refused below, like a year that nobody means.
        }
        throw refused(name, text, "a moment such as 2027-01-01T00:00:00Z");
    }

    static ZoneId zone(String name, String text) {
        try {
            if (text.length() <= LONGEST_ZONE) {
                return ZoneId.of(text);
            }
        } catch (DateTimeException e) {
            // Refused below.
        }
        throw refused(name, text, "such as UTC, Europe/Berlin or +08:00");
    }

    static IllegalArgumentException refused(String name, String text, String expected) {
        return new IllegalArgumentException(name + ": " + Shown.text(text) + " (expected: " + expected + ")");
    }

    private static long micros(Duration span) {
        return span.getSeconds() * 1_000_000 + span.getNano() / 1_000;
    }
}
