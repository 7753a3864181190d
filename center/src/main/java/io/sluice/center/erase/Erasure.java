package io.sluice.center.erase;

import java.util.Arrays;

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
        PENDING("pending"),
        /** Every node that was known has answered. */
        DONE("done"),
        /** Some nodes never answered. */
        EXPIRED("expired");

        private final String word;

        State(String word) {
            this.word = word;
        }

        String word() {
            return word;
        }

        static State of(String word) {
            return Arrays.stream(values())
                    .filter(each -> each.word.equals(word))
                    .findFirst()
                    .orElseThrow();
        }
    }

    boolean isPending() {
        return state == State.PENDING;
    }
}
