package io.sluice.replay.advice;

import io.sluice.core.limit.Limit;
import io.sluice.core.limit.Pace;
import io.sluice.core.limit.Parameter;
import io.sluice.core.limit.Rate;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;

/**
 * The number of each kind of limit: the burst of a token bucket, the capacity of a leaky bucket, and the limit of all others. Buckets
 * also have a rate.
 */
final class LimitNumbers {

    private LimitNumbers() {}

    /** Returns the rate; empty for limits that have none. */
    static Optional<Rate> rate(Limit limit) {
        return Optional.ofNullable(limit.rate());
    }

    /** Returns the name of the number in rule documents. */
    static String name(Limit limit) {
        return limit.kind().number().word();
    }

    /** Returns the number of a limit. */
    static long number(Limit limit) {
        return (Long) Objects.requireNonNull(limit.parameters().get(limit.kind().number()));
    }

    /** Returns the largest number that the kind of limit can have. */
    static long largest(Limit limit) {
        return limit.kind().largest();
    }

    /**
     * Returns the smallest number that has room for a need.
     *
     * @param limit the limit with the rate that the need was measured at
     * @param need the maximum of the permits that counted at one moment
     * @param permits the maximum of the permits that one request asks for
     */
    static long number(Limit limit, long need, long permits) {
        if (limit.kind().queues()) {
            return Math.max(0, need - 1);
        }
        boolean waits = limit.kind().grantsAhead() && limit.maxWaitMicros() > 0;
        return waits ? Math.max(permits, need - ahead(limit)) : need;
    }

    /** Returns the largest need that a number has room for, see {@link #number}. */
    static long need(Limit limit, long number) {
        return limit.kind().queues() ? number + 1 : number + ahead(limit);
    }

    /** Returns the permits that are granted in advance, because the bucket refills them within the wait. */
    private static long ahead(Limit limit) {
        Pace pace = limit.pace();
        return pace != null && limit.kind().grantsAhead() ? pace.wholeIn(limit.maxWaitMicros()) : 0;
    }

    /**
     * Returns the limit with other numbers. Its name, its window and its waits stay.
     *
     * @param rate the new rate; ignored for limits without a rate
     */
    static Limit with(Limit limit, Optional<Rate> rate, long number) {
        return of(limit, limit.givenParameters(), rate, number);
    }

    /** Returns the limit with the largest number minus {@code less}, and without a wait of its own, so that it refuses no request. */
    static Limit open(Limit limit, Optional<Rate> rate, long less) {
        Map<Parameter, Object> given = limit.givenParameters();
        given.remove(Parameter.MAX_WAIT);
        return of(limit, given, rate, largest(limit) - less);
    }

    private static Limit of(Limit like, Map<Parameter, Object> given, Optional<Rate> rate, long number) {
        given.computeIfPresent(Parameter.RATE, (parameter, today) -> rate.isPresent() ? rate.get() : today);
        given.put(like.kind().number(), number);
        return like.kind().limit(like.name(), given);
    }
}
