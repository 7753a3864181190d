package io.sluice.core.limit;

import java.math.BigDecimal;
import java.math.RoundingMode;
import java.time.Duration;

/** Parts of a limit, rounded against the caller but never to nothing. */
final class LimitShare {

    private static final long LONGEST_MICROS = Duration.ofDays(1_000).toSeconds() * 1_000_000;

    private LimitShare() {}

    static long of(long whole, double share) {
        return whole == 0 ? 0 : Math.max(1, times(whole, share, RoundingMode.FLOOR));
    }

    /** Fewer permits per the same span where they are many, the same permits per a longer span where they are few. */
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
