package io.sluice.core.spi;

import java.util.Objects;

/**
 * The result of a {@link Settlement}. Immutable.
 *
 * @param kind whether the count was changed, now or before
 * @param change the permits that the settlement charged in addition; negative if it gave permits back, rounded towards zero. Less
 *     than the difference of the figures if a part no longer counts
 */
public record SettlementResult(Kind kind, long change) {

    /**
     * The result for a reservation that cannot be settled: it is too old, or the engine has no room to store the settlement. It stays
     * charged.
     */
    public static final SettlementResult UNKNOWN = new SettlementResult(Kind.UNKNOWN, 0);

    /** The result for a reservation that was settled before with another figure, which stays valid. */
    public static final SettlementResult CONFLICT = new SettlementResult(Kind.CONFLICT, 0);

    /** The kinds of results. */
    public enum Kind {
        /** The count was changed now. */
        SETTLED,
        /** The same figure was settled before. The count was not changed now, and the result has the change of the first time. */
        REPEATED,
        /** Another figure was settled before. The count was not changed now. */
        CONFLICT,
        /** The reservation is too old or its settlement cannot be stored. The count was not changed, and the reservation stays charged. */
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
