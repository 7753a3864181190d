package io.sluice.history;

import java.util.Objects;

/**
 * Something in a history that must not be. Immutable.
 *
 * @param kind which promise was broken
 * @param count on which count; empty where it is about no single one
 * @param number at which of its steps; 0 where it is about none
 * @param sentence what was found, and what was expected
 */
public record Violation(Kind kind, String count, long number, String sentence) {

    /** The promises. */
    public enum Kind {
        /** The store answered otherwise than the algorithm does. */
        MODEL,
        /** More was admitted in some interval than the limit's definition allows, whatever the model says. */
        INTERVAL,
        /** The store counted a step at a time that is not its own. */
        TIME,
        /** More was given back than had been charged. */
        RETURNED,
        /** Some demands of an ask were charged and others not, or one was charged though the ask was refused. */
        PARTIAL,
        /** An ask was charged twice. */
        TWICE,
        /** A caller was told something else than was decided. */
        ANSWER,
        /** A refusal was remembered for longer than the store had said. */
        REMEMBERED,
        /** More permits were outstanding on leases than may be. */
        LEASE_CAP,
        /** A lease was spent that nobody granted, or beyond what was granted. */
        LEASE_OVERSPENT,
        /** A lease was spent after its end, or lasts for longer than it may. */
        LEASE_EXPIRED,
        /** A lease gave back what it had not left, or gave back twice. */
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
