package io.sluice.replay.imports.draft;

import io.sluice.rules.document.Quantities;
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;

/** Rates and durations of other limiters, as rule documents write them. */
public final class Amounts {

    /** Rates keep three digits after the point. */
    private static final int SCALE = 3;

    private static final long MICROS_PER_SECOND = 1_000_000;

    /** The suffixes of Spring, Envoy and nginx. */
    private static final Map<String, Duration> UNITS = Map.of(
            "ns", Duration.ofNanos(1),
            "us", Duration.ofNanos(1_000),
            "ms", Duration.ofMillis(1),
            "s", Duration.ofSeconds(1),
            "m", Duration.ofMinutes(1),
            "h", Duration.ofHours(1),
            "d", Duration.ofDays(1));

    private Amounts() {}

    /** Returns {@code 10/s}, {@code 5/m} or {@code 3/10s}. */
    public static String rate(long permits, Duration per) {
        String text = span(per);
        boolean one = text.length() > 1 && text.charAt(0) == '1' && Character.isLetter(text.charAt(1));
        return permits + "/" + (one ? text.substring(1) : text);
    }

    /** Returns a rate that need not be whole: {@code 2.5} is {@code 25/10s}. Drops all digits after the third. */
    public static String rate(BigDecimal perSecond) {
        BigDecimal exact = perSecond.setScale(SCALE, RoundingMode.DOWN).stripTrailingZeros();
        int scale = Math.max(0, exact.scale());
        return rate(
                exact.movePointRight(scale).longValue(),
                Duration.ofSeconds(BigDecimal.ONE.movePointRight(scale).longValue()));
    }

    public static String span(Duration span) {
        return Quantities.text(span);
    }

    /** Returns the time in which this many permits are refilled, rounded up to a microsecond. */
    public static Duration timeFor(long permits, BigDecimal perSecond) {
        BigDecimal micros = BigDecimal.valueOf(permits)
                .multiply(BigDecimal.valueOf(MICROS_PER_SECOND))
                .divide(perSecond, 0, RoundingMode.UP)
                .min(BigDecimal.valueOf(Long.MAX_VALUE / MICROS_PER_SECOND));
        return Quantities.ofMicros(micros.longValue());
    }

    /** Parses {@code 500ms}, {@code 0.5s}, {@code PT1S}, or a number in the given unit. */
    public static Optional<Duration> parse(String text, Duration unit) {
        if (text.length() > 40) {
            return Optional.empty();
        }
        try {
            if (text.startsWith("P") || text.startsWith("p")) {
                return Optional.of(Duration.parse(text));
            }
            int digits = 0;
            while (digits < text.length() && "0123456789.".indexOf(text.charAt(digits)) >= 0) {
                digits++;
            }
            String suffix = text.substring(digits).strip();
            Duration one = suffix.isEmpty() ? unit : UNITS.get(suffix);
            if (one == null) {
                return Optional.empty();
            }
            BigDecimal nanos = new BigDecimal(text.substring(0, digits)).multiply(BigDecimal.valueOf(one.toNanos()));
            return Optional.of(Duration.ofNanos(nanos.longValueExact()));
        } catch (RuntimeException e) {
            // Not a number, or out of range.
            return Optional.empty();
        }
    }

    /** Parses a number; empty if the text is not a number or is out of range. */
    public static Optional<BigDecimal> number(String text) {
        if (text.length() > 18 || text.isEmpty() || !text.chars().allMatch(c -> "0123456789.-".indexOf(c) >= 0)) {
            return Optional.empty();
        }
        try {
            return Optional.of(new BigDecimal(text));
        } catch (NumberFormatException e) {
            return Optional.empty();
        }
    }

    /** Returns the largest whole number that is at most this number. */
    public static OptionalLong floor(BigDecimal number) {
        return number.signum() < 0
                ? OptionalLong.empty()
                : OptionalLong.of(number.setScale(0, RoundingMode.DOWN).longValue());
    }
}
