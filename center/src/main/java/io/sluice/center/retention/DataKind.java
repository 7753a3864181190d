package io.sluice.center.retention;

import java.time.Duration;
import java.util.Optional;

/**
 * A kind of data with its place, its content and the time for which it is kept. Immutable.
 *
 * @param id the name in the API and in the texts of the page
 * @param personal whether the data can name a person
 * @param time the time for which the data is kept; empty if it is not fixed
 * @param howLong the same time in words
 * @param ends the actor and the event that remove the data
 * @param erased the data that an erasure removes
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

    /** A place where data is stored. */
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
