package io.sluice.center.erase;

import java.util.Locale;

/**
 * A stored erasure. It does not tell the subject.
 *
 * @param subject the keyed hash of the subject
 * @param sealed the encrypted subject; empty once nobody is asked any more
 * @param at milliseconds since the epoch
 * @param endedAt milliseconds since the epoch; 0 while nodes are asked
 */
record Erasure(
        long id,
        String attribute,
        String subject,
        String sealed,
        String reason,
        String actor,
        long at,
        State state,
        long endedAt,
        Removal removal) {

    /** How far it is. */
    enum State {
        /** Some nodes have not answered. */
        PENDING,
        /** Every node that was known has answered. */
        DONE,
        /** Some nodes never answered. */
        EXPIRED;

        String word() {
            return name().toLowerCase(Locale.ROOT);
        }

        static State of(String word) {
            return valueOf(word.toUpperCase(Locale.ROOT));
        }
    }

    boolean isPending() {
        return state == State.PENDING;
    }
}
