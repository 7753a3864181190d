package io.sluice.center.retention;

import java.time.Duration;
import java.util.Optional;

/**
 * A kind of data: where it is, what it holds, and how long it stays. Immutable.
 *
 * @param id its name in the API and in the texts of the page
 * @param personal whether it can name a person
 * @param time how long it stays; empty if that is not a fixed time
 * @param howLong the same in words
 * @param ends what removes it
 * @param erased what an erasure removes
 */
public record DataKind(
        String id,
        Place place,
        String what,
        boolean personal,
        Optional<Duration> time,
        String howLong,
        String ends,
        String erased) {

    /** Where data is. */
    public enum Place {
        CENTER("center"),
        NODE("node"),
        REDIS("redis"),
        OUTSIDE("outside");

        private final String word;

        Place(String word) {
            this.word = word;
        }

        /** Returns the name in the API. */
        public String word() {
            return word;
        }
    }
}
