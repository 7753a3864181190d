package io.sluice.rules.yaml;

import java.time.Duration;
import java.util.List;
import java.util.OptionalLong;

/**
 * Converts durations such as {@code 250ms} or {@code 1h} between the text of documents and {@link Duration}.
 *
 * <p>{@link Duration#parse} reads only ISO 8601, such as {@code PT0.25S}.
 */
public final class Spans {

    /** The longest duration that a document may contain. */
    public static final Duration LONGEST = Duration.ofDays(1_000);

    /** The units from the longest to the shortest. A duration is written in the first unit that divides it. */
    private static final List<Unit> UNITS = List.of(
            new Unit("d", Duration.ofDays(1)),
            new Unit("h", Duration.ofHours(1)),
            new Unit("m", Duration.ofMinutes(1)),
            new Unit("s", Duration.ofSeconds(1)),
            new Unit("ms", Duration.ofMillis(1)),
            new Unit("us", Duration.ofNanos(1_000)));

    private Spans() {}

    private record Unit(String word, Duration span) {

        long micros() {
            return Spans.micros(span);
        }
    }

    /**
     * Parses a duration from {@code shortest} to {@code longest}. Otherwise throws an {@link IllegalArgumentException} with the
     * complete error message.
     */
    public static Duration of(String name, String text, Duration shortest, Duration longest) {
        Duration span = of(text);
        if (span.compareTo(shortest) < 0 || span.compareTo(longest) > 0) {
            throw new IllegalArgumentException(name + ": " + PrintableText.text(text) + " (expected: "
                    + text(atLeastMilli(shortest)) + " to " + text(longest) + ", such as 250ms, 1s, 1m, 1h or 1d)");
        }
        return span;
    }

    /** Parses a duration. Returns zero if the text is not a duration, or is longer than {@link #LONGEST}. */
    public static Duration of(String text) {
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

    /** Writes a duration in the longest unit that divides it. */
    public static String text(Duration span) {
        long micros = micros(span);
        for (Unit unit : UNITS) {
            if (micros >= unit.micros() && micros % unit.micros() == 0) {
                return micros / unit.micros() + unit.word();
            }
        }
        return "0s";
    }

    /** Returns a duration for error messages: at least a millisecond, even if shorter durations are legal. */
    private static Duration atLeastMilli(Duration span) {
        Duration milli = Duration.ofMillis(1);
        return span.compareTo(milli) < 0 ? milli : span;
    }

    private static long micros(Duration span) {
        return span.getSeconds() * 1_000_000 + span.getNano() / 1_000;
    }
}
