package io.sluice.redis.internal.wire;

import io.sluice.core.limit.Algorithm;
import io.sluice.core.limit.Limit;
import io.sluice.core.limit.Pace;
import io.sluice.core.limit.SlidingWindow;
import io.sluice.core.limit.Windows;
import io.sluice.core.spi.Charge;
import io.sluice.core.spi.Demand;
import io.sluice.core.spi.Settlement;
import java.util.Objects;
import java.util.function.LongSupplier;

/** Encodes demands in the form that {@code decide.lua} reads. */
final class DemandEncoder {

    private static final String LOG = Algorithm.SLIDING_LOG.code();
    private static final String HELD = Algorithm.CONCURRENCY.code();

    /** The texts of demands for one permit, which are the most frequent demands. */
    private static final PerLimit<String> ONE_PERMIT =
            new PerLimit<>((limit, keep) -> of(limit, 1, 1, 0, "", keep, () -> 0));

    private DemandEncoder() {}

    /**
     * Encodes a demand.
     *
     * @param micros returns the approximate server time, for the calendar windows that the server may be in
     */
    static String of(Demand demand, LongSupplier micros) {
        if (demand.permits() == 1 && demand.maxWaitMicros() == 0 && isFixed(demand.limit())) {
            return ONE_PERMIT.of(demand.limit(), demand.keep());
        }
        return of(
                demand.limit(),
                demand.permits(),
                demand.atLeast(),
                Math.min(demand.maxWaitMicros(), Pace.MAX_MICROS),
                demand.holder(),
                demand.keep(),
                micros);
    }

    static String of(Charge charge, LongSupplier micros) {
        return of(
                charge.limit(),
                charge.permits(),
                charge.permits(),
                charge.chargedAtMicros(),
                charge.holder(),
                0,
                micros);
    }

    /** Encodes the limit that a settlement changes. */
    static String of(Settlement settlement, LongSupplier micros) {
        Limit limit = settlement.limit();
        return isFixed(limit) ? ONE_PERMIT.of(limit) : of(limit, 1, 1, 0, "", 0, micros);
    }

    /** Encodes a settlement for its record. */
    static String ofRecord(Settlement settlement) {
        return "st " + settlement.actual() + " " + settlement.reserved() + " "
                + Math.min(settlement.chargedAtMicros(), Pace.MAX_MICROS) + " 0 " + settlement.withinMicros() + " 0 0";
    }

    /** Encodes the limit that a lease is taken from. */
    static String of(LeaseRequest request, LongSupplier micros) {
        return of(
                request.limit(),
                request.wanted(),
                request.atLeast(),
                Math.min(request.maxWaitMicros(), Pace.MAX_MICROS),
                "",
                0,
                micros);
    }

    /** Encodes the request to the records of leases. */
    static String ofLeases(LeaseRequest request) {
        StringBuilder text = new StringBuilder(96);
        text.append("ls 0 0 0 ").append(request.cap()).append(' ');
        three(text, request.ttlMicros(), 0, 0);
        text.append(' ').append(request.lease());
        for (EndedLease ended : request.ended()) {
            text.append(' ').append(ended.lease()).append(' ').append(ended.spent());
        }
        return text.toString();
    }

    /** Returns whether the text is for a count whose own state has no room for the numbers of its steps. */
    static boolean isNumberedApart(String text) {
        return text.startsWith(LOG) || text.startsWith(HELD);
    }

    private static String of(
            Limit limit, long permits, long atLeast, long wait, String holder, long keep, LongSupplier micros) {
        StringBuilder text = new StringBuilder(80);
        text.append(limit.kind().code()).append(' ').append(permits).append(' ').append(atLeast);
        text.append(' ').append(wait).append(' ').append(limit.capacity()).append(' ');
        numbers(text, limit, micros);
        if (limit.kind().holds()) {
            text.append(' ').append(RedisKeys.encoded(holder));
        }
        if (keep > 0) {
            text.append(' ').append(keep);
        }
        return text.toString();
    }

    /** Returns whether the text of a demand depends only on the limit and the numbers of the demand. */
    private static boolean isFixed(Limit limit) {
        return !limit.kind().holds() && !limit.followsCalendar();
    }

    /** Appends the three numbers that the Lua script of each algorithm reads. */
    private static StringBuilder numbers(StringBuilder text, Limit limit, LongSupplier micros) {
        return switch (limit.kind()) {
            case TOKEN_BUCKET -> paced(text, limit, 0);
            case LEAKY_BUCKET -> paced(text, limit, limit.maxWaitMicros());
            case FIXED_WINDOW ->
                limit.followsCalendar()
                        ? text.append("0 ").append(boundaries(limit, micros)).append(" 0")
                        : three(text, limit.windowMicros(), 0, 0);
            case SLIDING_WINDOW ->
                three(text, limit.sliceMicros(), ((SlidingWindow) limit).slices(), limit.weighted() ? 1 : 0);
            case SLIDING_LOG, CONCURRENCY -> three(text, limit.windowMicros(), 0, 0);
        };
    }

    private static StringBuilder paced(StringBuilder text, Limit limit, long third) {
        Pace pace = Objects.requireNonNull(limit.pace());
        return three(text, pace.permits(), pace.micros(), third);
    }

    private static StringBuilder three(StringBuilder text, long first, long second, long third) {
        return text.append(first).append(' ').append(second).append(' ').append(third);
    }

    /** Returns the boundaries of the window that the server is estimated to be in, and of its two neighbours. */
    private static String boundaries(Limit limit, LongSupplier micros) {
        Windows windows = Objects.requireNonNull(limit.windows());
        Windows.Window present = windows.at(micros.getAsLong());
        long before = windows.at(present.startMicros() - 1).startMicros();
        long after = windows.at(present.endMicros()).endMicros();
        return before + "," + present.startMicros() + "," + present.endMicros() + "," + after;
    }
}
