package io.sluice.center.erase;

import java.util.Arrays;

/**
 * A stored erasure. It does not reveal the subject.
 *
 * @param subject the keyed hash of the subject
 * @param sealed the encrypted subject; empty when no more nodes are asked
 * @param at the time in milliseconds since the epoch
 * @param endedAt the end in milliseconds since the epoch; 0 while nodes are asked
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

    /** The progress of an erasure. */
    enum State {
        /** Some nodes have not answered yet. */
        PENDING("pending"),
        /** Every node that was known at the start has answered. */
        DONE("done"),
        /** Some nodes did not answer in time. */
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
