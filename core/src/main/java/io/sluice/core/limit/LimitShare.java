package io.sluice.core.limit;

import java.math.BigDecimal;
import java.math.RoundingMode;
import java.time.Duration;

/** Computes shares of a limit, rounded down but never to zero. */
final class LimitShare {

    private static final long LONGEST_MICROS = Duration.ofDays(1_000).toSeconds() * 1_000_000;

    private LimitShare() {}

    static long of(long whole, double share) {
        return whole == 0 ? 0 : Math.max(1, times(whole, share, RoundingMode.FLOOR));
    }

    /** Returns a share of a rate: fewer permits if it has a million or more, otherwise the same permits in a longer span. */
    static Rate of(Rate rate, double share) {
        if (rate.permits() >= 1_000_000) {
            return new Rate(of(rate.permits(), share), rate.per());
        }
        BigDecimal span = new BigDecimal(rate.perMicros()).divide(new BigDecimal(share), 0, RoundingMode.CEILING);
        long micros = span.min(new BigDecimal(LONGEST_MICROS)).longValueExact();
        return new Rate(rate.permits(), Duration.of(micros, java.time.temporal.ChronoUnit.MICROS));
    }

    private static long times(long whole, double share, RoundingMode rounding) {
        return new BigDecimal(whole)
                .multiply(new BigDecimal(share))
                .setScale(0, rounding)
                .longValueExact();
    }
}
