package io.sluice.replay.advice;

import io.sluice.core.limit.Limit;
import io.sluice.core.limit.Rate;
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * The rates that may be suggested: rates with two digits, as people write them, from 1/d to 9900000/s. Above 10/d, neighbours differ by at
 * most a tenth.
 */
final class RateGrid {

    private static final Duration SECOND = Duration.ofSeconds(1);
    private static final Duration MINUTE = Duration.ofMinutes(1);
    private static final Duration HOUR = Duration.ofHours(1);
    private static final Duration DAY = Duration.ofDays(1);
    private static final int LARGEST = 1_000_000;

    private static final List<Rate> ALL = all();

    private RateGrid() {}

    private static List<Rate> all() {
        List<Rate> all = new ArrayList<>();
        range(all, 1, 239, 1, DAY, HOUR, 24);
        range(all, 10, 59, 1, HOUR, MINUTE, 60);
        range(all, 60, 594, 6, HOUR, MINUTE, 60);
        range(all, 10, 59, 1, MINUTE, SECOND, 60);
        range(all, 60, 594, 6, MINUTE, SECOND, 60);
        for (long step = 1; step < LARGEST; step *= 10) {
            range(all, 10 * step, 99 * step, step, SECOND, SECOND, 1);
        }
        return List.copyOf(all);
    }

    /** Adds rates. A rate that is whole in the shorter unit is written in it: 300/m as 5/s. */
    private static void range(
            List<Rate> all, long first, long last, long step, Duration unit, Duration shorter, long times) {
        for (long permits = first; permits <= last; permits += step) {
            all.add(permits % times == 0 ? new Rate(permits / times, shorter) : new Rate(permits, unit));
        }
    }

    static int size() {
        return ALL.size();
    }

    static Rate get(int index) {
        return ALL.get(index);
    }

    /**
     * Returns a rate with headroom, rounded up by at most a hundredth: in the present unit of the rule if that is fine enough, otherwise in
     * the shortest unit that is fine enough.
     */
    static Rate withHeadroom(Rate today, Rate rate, Share headroom) {
        if (headroom.part().signum() == 0) {
            return rate;
        }
        BigDecimal permits = headroom.part().add(BigDecimal.ONE).multiply(BigDecimal.valueOf(rate.permits()));
        for (Duration unit : List.of(today.per(), SECOND, MINUTE, HOUR)) {
            Rate more = in(unit, permits, rate.perMicros());
            if (perMicro(more) <= perMicro(rate) * (1 + headroom.part().doubleValue()) * 1.01) {
                return more;
            }
        }
        return in(DAY, permits, rate.perMicros());
    }

    private static Rate in(Duration unit, BigDecimal permits, long micros) {
        BigDecimal scaled = permits.multiply(BigDecimal.valueOf(unit.toNanos() / 1_000));
        long whole = scaled.divide(BigDecimal.valueOf(micros), 0, RoundingMode.CEILING)
                .min(BigDecimal.valueOf(Limit.MAX_CAPACITY))
                .longValueExact();
        return new Rate(whole, unit);
    }

    static double perMicro(Rate rate) {
        return (double) rate.permits() / rate.perMicros();
    }

    /** Returns the same rate in the present unit of the rule if it is a whole number there; otherwise returns it unchanged. */
    static Rate inUnitOf(Rate today, Rate rate) {
        if (rate.permits() > Long.MAX_VALUE / today.perMicros()) {
            return rate;
        }
        long permits = rate.permits() * today.perMicros();
        return permits % rate.perMicros() == 0 ? new Rate(permits / rate.perMicros(), today.per()) : rate;
    }
}
