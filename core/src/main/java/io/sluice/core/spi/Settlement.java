package io.sluice.core.spi;

import io.sluice.core.internal.Expect;
import io.sluice.core.limit.Limit;
import java.util.Objects;

/**
 * The real cost of permits that were reserved before this cost was known. Immutable.
 *
 * @param limit the limit as it was charged; not a concurrency limit and not a leaky bucket
 * @param key the key of the count that was charged
 * @param reserved the permits that were charged, 0 to {@link Limit#MAX_PERMITS}
 * @param actual the permits that were really used, 0 to {@link Limit#MAX_PERMITS}
 * @param chargedAtMicros the time of the charge, by the engine's clock
 * @param id the name of the reservation, 1 to {@value #LONGEST_ID} characters; a count settles each name once
 * @param withinMicros the time after the charge in which it can be settled, 1 to {@link #MAX_WITHIN_MICROS}
 */
public record Settlement(
        Limit limit, String key, long reserved, long actual, long chargedAtMicros, String id, long withinMicros) {

    /** The maximum number of characters of an id. */
    public static final int LONGEST_ID = 128;

    /** The maximum time in which a reservation can be settled, a day. Engines store each settlement for the same time. */
    public static final long MAX_WITHIN_MICROS = 86_400_000_000L;

    /** The maximum time of a charge ahead of the engine's clock, as long as counts wait for a clock that has stepped back. */
    private static final long FUTURE_MICROS = 1_000_000;

    public Settlement {
        Objects.requireNonNull(limit, "limit");
        Objects.requireNonNull(key, "key");
        Objects.requireNonNull(id, "id");
        if (!limit.kind().settles()) {
            throw new IllegalArgumentException(
                    "limit: " + limit + " (expected: a token bucket, a fixed or sliding window, or a sliding log)");
        }
        Expect.range("reserved", reserved, 0, Limit.MAX_PERMITS);
        Expect.range("actual", actual, 0, Limit.MAX_PERMITS);
        Expect.range("chargedAtMicros", chargedAtMicros, 0, Long.MAX_VALUE);
        Expect.range("withinMicros", withinMicros, 1, MAX_WITHIN_MICROS);
        if (id.isEmpty() || id.length() > LONGEST_ID) {
            throw new IllegalArgumentException(
                    "id: " + id.length() + " characters (expected: 1.." + LONGEST_ID + " characters)");
        }
    }

    /** Returns the settlement of a charge that a decision made. */
    public static Settlement of(Charge charge, long actual, String id, long withinMicros) {
        return new Settlement(
                charge.limit(), charge.key(), charge.permits(), actual, charge.chargedAtMicros(), id, withinMicros);
    }

    /** Returns the permits that were used beyond the reserved permits; negative if some were not used. */
    public long more() {
        return actual - reserved;
    }

    /**
     * Returns whether the reservation can be settled at this time of the engine. It cannot be settled if it is too old, or if it was
     * charged more than a second later, by a clock that has stepped back since.
     */
    public boolean isDue(long nowMicros) {
        return chargedAtMicros <= nowMicros
                ? nowMicros - chargedAtMicros <= withinMicros
                : chargedAtMicros - nowMicros <= FUTURE_MICROS;
    }
}
