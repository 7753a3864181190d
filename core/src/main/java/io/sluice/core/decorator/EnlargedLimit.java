package io.sluice.core.decorator;

import io.sluice.core.limit.Algorithm;
import io.sluice.core.limit.Limit;
import io.sluice.core.limit.Pace;
import io.sluice.core.limit.Parameter;
import io.sluice.core.limit.Rate;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.math.RoundingMode;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.Map;

/**
 * Multiplies the numbers of a limit, rounded in favour of the caller. The result is never less than the limit, nor more than a
 * limit can have.
 */
final class EnlargedLimit {

    private EnlargedLimit() {}

    /**
     * @param times the factor, at least 1
     */
    static Limit of(Limit limit, double times) {
        Algorithm kind = limit.kind();
        if (kind.holds()) {
            return limit;
        }
        Map<Parameter, Object> values = limit.parameters();
        values.computeIfPresent(Parameter.RATE, (rate, value) -> of((Rate) value, times));
        values.computeIfPresent(kind.number(), (number, value) -> of((Long) value, times, kind.largest()));
        return kind.limit(limit.name(), values);
    }

    private static long of(long whole, double times, long most) {
        return new BigDecimal(whole)
                .multiply(new BigDecimal(times))
                .setScale(0, RoundingMode.CEILING)
                .min(new BigDecimal(most))
                .longValueExact();
    }

    /** Returns the same permits in less time, or the rate itself if no limit can have a faster rate. */
    private static Rate of(Rate rate, double times) {
        long micros = new BigDecimal(rate.perMicros())
                .divide(new BigDecimal(times), 0, RoundingMode.FLOOR)
                .longValueExact();
        if (micros < 1 || rate.permits() / micros >= Rate.MAX_PERMITS_PER_MICRO) {
            return rate;
        }
        Rate faster = new Rate(rate.permits(), micros(micros));
        return isSlower(pace(faster), pace(rate)) ? rate : faster;
    }

    /** Returns whether a pace is slower. Engines round rates down, so a slightly faster rate may become slower. */
    private static boolean isSlower(Pace one, Pace other) {
        BigInteger left = BigInteger.valueOf(one.permits()).multiply(BigInteger.valueOf(other.micros()));
        return left.compareTo(BigInteger.valueOf(other.permits()).multiply(BigInteger.valueOf(one.micros()))) < 0;
    }

    private static Pace pace(Rate rate) {
        return Pace.of(rate.permits(), rate.perMicros());
    }

    private static Duration micros(long micros) {
        return Duration.of(micros, ChronoUnit.MICROS);
    }
}
