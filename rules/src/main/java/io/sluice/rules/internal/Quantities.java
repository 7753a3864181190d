package io.sluice.rules.internal;

import io.sluice.core.Rate;
import io.sluice.rules.yaml.Shown;
import java.time.Duration;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Rates and durations as documents write them. Refusals are {@link IllegalArgumentException}s with the whole message. */
public final class Quantities {

    private static final Pattern RATE = Pattern.compile("([0-9]{1,15})(?:/([smhd]))?");
    private static final Pattern SPAN = Pattern.compile("([0-9]{1,15})(ms|s|m|h|d)");
    private static final Map<String, Duration> UNITS = Map.of(
            "ms", Duration.ofMillis(1),
            "s", Duration.ofSeconds(1),
            "m", Duration.ofMinutes(1),
            "h", Duration.ofHours(1),
            "d", Duration.ofDays(1));
    private static final Duration LONGEST = Duration.ofDays(1_000);

    private Quantities() {}

    /** {@code 50/s}, {@code 5/m}, {@code 100/h}, {@code 1000/d}, or a whole number per second. */
    public static Rate rate(String name, String text) {
        Matcher rate = RATE.matcher(text);
        if (!rate.matches()) {
            throw refused(name, text, "a whole number per second, N/s, N/m, N/h or N/d");
        }
        String unit = rate.group(2);
        try {
            return new Rate(Long.parseLong(rate.group(1)), unit(unit == null ? "s" : unit));
        } catch (IllegalArgumentException e) {
            throw refused(name, text, "at most 1000000000/s and 1000000000000 in all");
        }
    }

    /** {@code 250ms}, {@code 1s}, {@code 1m}, {@code 1h}, {@code 1d}, from 1 ms to {@code longest}. */
    public static Duration span(String name, String text, Duration longest) {
        Matcher span = SPAN.matcher(text);
        String expected = "1ms to " + shown(longest) + ", such as 250ms, 1s, 1m, 1h or 1d";
        if (!span.matches()) {
            throw refused(name, text, expected);
        }
        Duration unit = unit(span.group(2));
        long count = Long.parseLong(span.group(1));
        if (count < 1 || count > longest.toMillis() / unit.toMillis()) {
            throw refused(name, text, expected);
        }
        return unit.multipliedBy(count);
    }

    /** A window: at most a thousand days. */
    public static Duration window(String name, String text) {
        return span(name, text, LONGEST);
    }

    private static Duration unit(String unit) {
        Duration span = UNITS.get(unit);
        if (span == null) {
            throw new IllegalArgumentException("unit: " + unit + " (expected: ms, s, m, h or d)");
        }
        return span;
    }

    private static String shown(Duration span) {
        return span.toDays() > 0 ? span.toDays() + "d" : span.toSeconds() + "s";
    }

    private static IllegalArgumentException refused(String name, String text, String expected) {
        return new IllegalArgumentException(name + ": " + Shown.text(text) + " (expected: " + expected + ")");
    }
}
