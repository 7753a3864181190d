package io.sluice.core.spi;

import java.util.Objects;

/**
 * What became of a {@link Settlement}. Immutable.
 *
 * @param kind whether the count was changed, now or before
 * @param change the permits that the settlement charged in addition; negative if it gave permits back, rounded towards zero. Less
 *     than the difference of the figures if a part no longer counts
 */
public record SettlementResult(Kind kind, long change) {

    /** A reservation that cannot be settled: it is too old, or the engine has no room to remember the settlement. It stands. */
    public static final SettlementResult UNKNOWN = new SettlementResult(Kind.UNKNOWN, 0);

    /** A reservation that was settled before with another figure, which stands. */
    public static final SettlementResult CONFLICT = new SettlementResult(Kind.CONFLICT, 0);

    /** Whether the count was changed. */
    public enum Kind {
        /** The count was changed now. */
        SETTLED,
        /** The same figure was settled before. Nothing was changed now, and the change is that of the first time. */
        REPEATED,
        /** Another figure was settled before. Nothing was changed now. */
        CONFLICT,
        /** The reservation is too old or cannot be remembered. Nothing was changed, and the reservation stands. */
        UNKNOWN
    }

    public SettlementResult {
        Objects.requireNonNull(kind, "kind");
    }

    /** Returns the permits that were given back. */
    public long givenBack() {
        return Math.max(0, -change);
    }

    /** Returns the permits that were charged in addition. */
    public long charged() {
        return Math.max(0, change);
    }
}
