package io.sluice.core.limit;

import io.sluice.core.internal.DurationText;
import io.sluice.core.internal.Expect;
import java.time.Duration;
import java.util.Objects;

/**
 * A number of permits per time span, for example 50 per second. Immutable.
 *
 * <p>Rates range from one permit per 1000 days to 1000 permits per microsecond. A rate of zero permits is legal and always
 * refuses. The time span is a whole number of microseconds.
 */
public record Rate(long permits, Duration per) {

    public static final long MAX_PERMITS_PER_MICRO = 1_000;

    public Rate {
        Objects.requireNonNull(per, "per");
        Expect.range("permits", permits, 0, Limit.MAX_CAPACITY);
        long micros = Expect.micros("per", per);
        if (permits / MAX_PERMITS_PER_MICRO > micros
                || (permits / MAX_PERMITS_PER_MICRO == micros && permits % MAX_PERMITS_PER_MICRO != 0)) {
            throw new IllegalArgumentException(
                    "rate: " + permits + " per " + per + " (expected: at most 1000000000 per second)");
        }
    }

    public static Rate perSecond(long permits) {
        return new Rate(permits, Duration.ofSeconds(1));
    }

    public static Rate perMinute(long permits) {
        return new Rate(permits, Duration.ofMinutes(1));
    }

    public static Rate perHour(long permits) {
        return new Rate(permits, Duration.ofHours(1));
    }

    public static Rate perDay(long permits) {
        return new Rate(permits, Duration.ofDays(1));
    }

    /** Returns the time span in microseconds. */
    public long perMicros() {
        return Expect.micros("per", per);
    }

    /** Returns the permits that flow in one second, rounded down, at least 1. This is the default burst. */
    long permitsPerSecond() {
        return Math.max(1, permits * 1_000_000 / perMicros());
    }

    /** Returns the rate as rule documents write it: {@code 50/s}, {@code 3/10s}. */
    @Override
    public String toString() {
        String span = DurationText.text(perMicros());
        boolean one = span.charAt(0) == '1' && Character.isLetter(span.charAt(1));
        return permits + "/" + (one ? span.substring(1) : span);
    }
}
