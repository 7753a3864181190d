package io.sluice.history;

import java.util.Objects;

/**
 * A broken promise in a history. Immutable.
 *
 * @param kind the broken promise
 * @param count the count; empty if the violation is not about a single count
 * @param number the step of the count; 0 if the violation is not about a step
 * @param sentence the actual and the expected behaviour
 */
public record Violation(Kind kind, String count, long number, String sentence) {

    /** The promises that the checker verifies, each described by its violation. */
    public enum Kind {
        /** The store's answer differs from that of the algorithm. */
        MODEL,
        /** More was admitted in some interval than the definition of the limit allows, independent of the algorithm. */
        INTERVAL,
        /** The store counted a step at a time other than its own. */
        TIME,
        /** More was returned than had been charged. */
        RETURNED,
        /**
         * A reservation was settled twice, too late or without having been made, or the settlement changed the count by more than the
         * difference between the reserved and the actual cost.
         */
        SETTLED,
        /** Some demands of a request were charged and others were not, or one was charged although the request was refused. */
        PARTIAL,
        /** A request was charged twice. */
        TWICE,
        /** A caller received something other than what was decided. */
        ANSWER,
        /** A refusal was cached for longer than the store allowed. */
        REMEMBERED,
        /** More permits were outstanding on leases than allowed. */
        LEASE_CAP,
        /** Permits were spent from a lease that was never granted, or more permits than the lease had. */
        LEASE_OVERSPENT,
        /** Permits of a lease were spent after its end, or the lease was longer than allowed. */
        LEASE_EXPIRED,
        /** A lease returned more permits than it had left, or returned permits twice. */
        LEASE_ENDED
    }

    public Violation {
        Objects.requireNonNull(kind, "kind");
    }

    @Override
    public String toString() {
        return kind + (count.isEmpty() ? "" : " " + count) + (number == 0 ? "" : " #" + number) + ": " + sentence;
    }
}
