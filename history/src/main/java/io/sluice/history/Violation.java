package io.sluice.history;

import java.util.Objects;

/**
 * A broken promise in a history. Immutable.
 *
 * @param kind which promise was broken
 * @param count the count; empty if the violation is not about a single one
 * @param number the step of the count; 0 if the violation is not about a step
 * @param sentence what was found, and what was expected
 */
public record Violation(Kind kind, String count, long number, String sentence) {

    /** The promises. */
    public enum Kind {
        /** The store's answer differs from that of the algorithm. */
        MODEL,
        /** More was admitted in some interval than the definition of the limit allows, whatever the model says. */
        INTERVAL,
        /** The store counted a step at a time that is not its own. */
        TIME,
        /** More was returned than had been charged. */
        RETURNED,
        /** A reservation was settled twice or too late, or nobody had made it, or settling it changed more than the figures differ. */
        SETTLED,
        /** Some demands of a request were charged and others were not, or one was charged although the request was refused. */
        PARTIAL,
        /** A request was charged twice. */
        TWICE,
        /** A caller received something other than what was decided. */
        ANSWER,
        /** A refusal was cached for longer than the store had said. */
        REMEMBERED,
        /** More permits were outstanding on leases than allowed. */
        LEASE_CAP,
        /** A lease was spent that was never granted, or beyond what was granted. */
        LEASE_OVERSPENT,
        /** A lease was spent after its end, or lasts longer than allowed. */
        LEASE_EXPIRED,
        /** A lease returned more than it had left, or returned twice. */
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
